#include "distributed/sharded_adam.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <utility>

namespace examples {
namespace {

constexpr double kRate = 1e-3;
constexpr double kFirst = 0.9;
constexpr double kSecond = 0.999;
constexpr double kSmall = 1e-8;

}  // namespace

ShardedAdam::ShardedAdam(std::vector<at::Tensor> parameters, TrainingGroup& group, const gcsflux::RunEnvironment& run)
    : parameters_(std::move(parameters)), group_(group), share_{.rank = run.rank, .world_size = run.world_size} {
  for (const at::Tensor& parameter : parameters_) size_ += parameter.numel();
  own_ = gcsflux::DivideRows(size_, share_);
  first_ = at::zeros({own_.end - own_.begin});
  second_ = at::zeros_like(first_);
}

void ShardedAdam::Step() {
  const c10::NoGradGuard no_grad;
  std::vector<at::Tensor> values;
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : parameters_) {
    values.push_back(parameter.flatten());
    gradients.push_back(parameter.grad().flatten());
  }
  at::Tensor sum = at::cat(gradients);
  group_.AddUp(sum);
  const at::Tensor gradient = Own(sum);
  ++steps;
  first_.mul_(kFirst).add_(gradient, 1 - kFirst);
  second_.mul_(kSecond).addcmul_(gradient, gradient, 1 - kSecond);
  const double first_bias = 1 - std::pow(kFirst, static_cast<double>(steps));
  const double second_bias = 1 - std::pow(kSecond, static_cast<double>(steps));
  const at::Tensor change = (first_ / first_bias) / ((second_ / second_bias).sqrt() + kSmall);
  const at::Tensor all = group_.Join(Own(at::cat(values)) - kRate * change, size_);
  std::int64_t at = 0;
  for (at::Tensor parameter : parameters_) {
    parameter.copy_(all.slice(0, at, at + parameter.numel()).view_as(parameter));
    at += parameter.numel();
  }
}

void ShardedAdam::AddTo(gcsflux::ShardedState& state) const {
  state.tensors["adam.first"] = gcsflux::Sharded(first_, size_, share_);
  state.tensors["adam.second"] = gcsflux::Sharded(second_, size_, share_);
}

}  // namespace examples
