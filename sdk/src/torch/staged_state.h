#pragma once

#include <functional>
#include <string_view>

#include "gcsflux/torch/state_dict.h"

// Loading in two steps: everything is read and compared before anything changes.
namespace gcsflux {

/// As LoadModule() with is_staged. Call the returned function to change the module; it cannot fail.
std::function<void()> StageModule(torch::nn::Module& module, const StoredCheckpoint& checkpoint,
                                  const LoadModuleOptions& options);

/// The same for LoadOptimizer().
std::function<void()> StageOptimizer(torch::optim::Optimizer& optimizer, const StoredCheckpoint& checkpoint,
                                     std::string_view name);

/// Whether OfOptimizer() and LoadOptimizer() know its kind.
bool IsKnownOptimizer(const torch::optim::Optimizer& optimizer);

}  // namespace gcsflux
