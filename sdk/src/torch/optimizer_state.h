#pragma once

#include <torch/optim/optimizer.h>
#include <torch/serialize/archive.h>

namespace gcsflux {

/// Reads what Optimizer::save() wrote. If it is the state of another optimizer, `optimizer` does not change.
///
/// Unlike Optimizer::load(), it first checks the sizes of groups and the shapes of the state. It also restores the
/// groups' options (learning rate, momentum), and removes state that the archive does not have. Throws c10::Error.
void LoadOptimizer(torch::optim::Optimizer& optimizer, torch::serialize::InputArchive& archive);

}  // namespace gcsflux
