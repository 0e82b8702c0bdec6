#include "torch/optimizer_state.h"

#include <c10/util/Exception.h>
#include <torch/optim/lbfgs.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gcsflux {
namespace {

using torch::Tensor;
using torch::optim::Optimizer;
using torch::optim::OptimizerOptions;
using torch::optim::OptimizerParamGroup;
using torch::serialize::InputArchive;

std::int64_t ReadCount(InputArchive& archive, const std::string& key) {
  Tensor count;
  archive.read(key, count);
  return count.item<std::int64_t>();
}

/// LBFGS keeps flattened vectors over all parameters. Every other optimizer's tensors have the shape of their
/// parameter.
void CheckShapes(InputArchive& state, const std::string& key, const Tensor& parameter) {
  InputArchive entries;
  if (!state.try_read(key, entries)) return;  // A parameter that never had a gradient has no state.
  for (const std::string& name : entries.keys()) {
    Tensor saved;
    if (!entries.try_read(name, saved) || !saved.defined() || saved.dim() == 0) continue;
    TORCH_CHECK(saved.sizes() == parameter.sizes(), "the optimizer's ", name, " is ", saved.sizes(),
                " in the checkpoint for a parameter of ", parameter.sizes());
  }
}

void CheckGroup(InputArchive& group, InputArchive& state, const OptimizerParamGroup& expected, bool has_shapes) {
  const auto count = static_cast<std::size_t>(ReadCount(group, "params/size"));
  TORCH_CHECK(count == expected.params().size(), "a parameter group has ", count, " parameters in the checkpoint, ",
              expected.params().size(), " in the optimizer");
  for (std::size_t i = 0; has_shapes && i < count; ++i) {
    c10::IValue key;
    group.read("params/" + std::to_string(i), key);
    CheckShapes(state, key.toStringRef(), expected.params()[i]);
  }
}

/// The group's options as they were saved, in a copy. Throws if they are of another kind of optimizer.
std::unique_ptr<OptimizerOptions> ReadOptions(InputArchive& group, const OptimizerParamGroup& expected) {
  InputArchive saved;
  group.read("options", saved);
  std::unique_ptr<OptimizerOptions> options = expected.options().clone();
  try {
    options->serialize(saved);
  } catch (const c10::Error&) {  // libtorch says "internal assert failed, report a bug".
    TORCH_CHECK(false, "the checkpoint holds the state of another kind of optimizer");
  }
  return options;
}

}  // namespace

void LoadOptimizer(Optimizer& optimizer, InputArchive& archive) {
  InputArchive groups;
  InputArchive state;
  archive.read("param_groups", groups);
  archive.read("state", state);
  const auto count = static_cast<std::size_t>(ReadCount(groups, "param_groups/size"));
  TORCH_CHECK(count == optimizer.param_groups().size(), "the optimizer has ", optimizer.param_groups().size(),
              " parameter groups, the checkpoint ", count);

  const bool has_shapes = dynamic_cast<const torch::optim::LBFGS*>(&optimizer) == nullptr;
  std::vector<std::unique_ptr<OptimizerOptions>> options;
  for (std::size_t i = 0; i < count; ++i) {
    InputArchive group;
    groups.read("param_groups/" + std::to_string(i), group);
    CheckGroup(group, state, optimizer.param_groups()[i], has_shapes);
    options.push_back(ReadOptions(group, optimizer.param_groups()[i]));
  }

  auto previous = std::exchange(optimizer.state(), {});
  try {
    optimizer.load(archive);
  } catch (...) {
    optimizer.state() = std::move(previous);
    throw;
  }
  for (std::size_t i = 0; i < count; ++i) optimizer.param_groups()[i].set_options(std::move(options[i]));
}

}  // namespace gcsflux
