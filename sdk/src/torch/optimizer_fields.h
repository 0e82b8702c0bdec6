#pragma once

#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

// The fields of libtorch's optimizers and their names in Python's state_dict(). A visitor takes a name and a reference.
// `Maybe` marks tensors that exist only if an option requires them.
namespace gcsflux {

struct Maybe {
  at::Tensor& tensor;
};

template <class Visitor, class Options>
void VisitAdamOptions(Visitor& visit, Options& options) {
  visit("lr", options.lr());
  visit("betas", options.betas());
  visit("eps", options.eps());
  visit("weight_decay", options.weight_decay());
  visit("amsgrad", options.amsgrad());
}

template <class Visitor, class State>
void VisitAdamState(Visitor& visit, State& state) {
  visit("step", state.step());
  visit("exp_avg", state.exp_avg());
  visit("exp_avg_sq", state.exp_avg_sq());
  visit("max_exp_avg_sq", Maybe{state.max_exp_avg_sq()});
}

template <class Visitor>
void Visit(Visitor& visit, torch::optim::AdamOptions& options) {
  VisitAdamOptions(visit, options);
}
template <class Visitor>
void Visit(Visitor& visit, torch::optim::AdamWOptions& options) {
  VisitAdamOptions(visit, options);
}
template <class Visitor>
void Visit(Visitor& visit, torch::optim::AdamParamState& state) {
  VisitAdamState(visit, state);
}
template <class Visitor>
void Visit(Visitor& visit, torch::optim::AdamWParamState& state) {
  VisitAdamState(visit, state);
}

template <class Visitor>
void Visit(Visitor& visit, torch::optim::SGDOptions& options) {
  visit("lr", options.lr());
  visit("momentum", options.momentum());
  visit("dampening", options.dampening());
  visit("weight_decay", options.weight_decay());
  visit("nesterov", options.nesterov());
}
template <class Visitor>
void Visit(Visitor& visit, torch::optim::SGDParamState& state) {
  visit("momentum_buffer", Maybe{state.momentum_buffer()});
}

template <class Visitor>
void Visit(Visitor& visit, torch::optim::RMSpropOptions& options) {
  visit("lr", options.lr());
  visit("alpha", options.alpha());
  visit("eps", options.eps());
  visit("weight_decay", options.weight_decay());
  visit("momentum", options.momentum());
  visit("centered", options.centered());
}
template <class Visitor>
void Visit(Visitor& visit, torch::optim::RMSpropParamState& state) {
  visit("step", state.step());
  visit("square_avg", state.square_avg());
  visit("momentum_buffer", Maybe{state.momentum_buffer()});
  visit("grad_avg", Maybe{state.grad_avg()});
}

template <class Visitor>
void Visit(Visitor& visit, torch::optim::AdagradOptions& options) {
  visit("lr", options.lr());
  visit("lr_decay", options.lr_decay());
  visit("weight_decay", options.weight_decay());
  visit("initial_accumulator_value", options.initial_accumulator_value());
  visit("eps", options.eps());
}
template <class Visitor>
void Visit(Visitor& visit, torch::optim::AdagradParamState& state) {
  visit("step", state.step());
  visit("sum", state.sum());
}

/// An option that only this kind has, in every version of PyTorch. Adam and AdamW have the same one. Others have betas
/// (RAdam, NAdam, Adamax, SparseAdam) and alpha (ASGD) too.
inline const char* OwnOption(const torch::optim::AdamOptions&) { return "amsgrad"; }
inline const char* OwnOption(const torch::optim::AdamWOptions&) { return "amsgrad"; }
inline const char* OwnOption(const torch::optim::SGDOptions&) { return "nesterov"; }
inline const char* OwnOption(const torch::optim::RMSpropOptions&) { return "centered"; }
inline const char* OwnOption(const torch::optim::AdagradOptions&) { return "lr_decay"; }

/// Calls `use` with new options and a new state of the optimizer's kind. Returns false for other optimizers.
template <class Use>
bool WithKind(const torch::optim::Optimizer& optimizer, Use use) {
  using namespace torch::optim;  // NOLINT(google-build-using-namespace): for the table below
  if (dynamic_cast<const Adam*>(&optimizer) != nullptr) return use(AdamOptions(), AdamParamState()), true;
  if (dynamic_cast<const AdamW*>(&optimizer) != nullptr) return use(AdamWOptions(), AdamWParamState()), true;
  if (dynamic_cast<const SGD*>(&optimizer) != nullptr) return use(SGDOptions(0), SGDParamState()), true;
  if (dynamic_cast<const RMSprop*>(&optimizer) != nullptr) return use(RMSpropOptions(), RMSpropParamState()), true;
  if (dynamic_cast<const Adagrad*>(&optimizer) != nullptr) return use(AdagradOptions(), AdagradParamState()), true;
  return false;
}

}  // namespace gcsflux
