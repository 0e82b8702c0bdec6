#pragma once

#include <functional>
#include <string_view>

#include "gcsflux/torch/state_dict.h"

// What loading does in two steps: all is read and compared before anything changes.
namespace gcsflux {

/// As LoadModule() with is_staged; the module changes when what is returned is called, which cannot fail.
std::function<void()> StageModule(torch::nn::Module& module, const StoredCheckpoint& checkpoint,
                                  const LoadModuleOptions& options);

/// As LoadOptimizer(), likewise.
std::function<void()> StageOptimizer(torch::optim::Optimizer& optimizer, const StoredCheckpoint& checkpoint,
                                     std::string_view name);

/// Whether OfOptimizer() and LoadOptimizer() know its kind.
bool IsKnownOptimizer(const torch::optim::Optimizer& optimizer);

}  // namespace gcsflux
