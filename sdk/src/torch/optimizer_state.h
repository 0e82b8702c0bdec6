#pragma once

#include <torch/optim/optimizer.h>
#include <torch/serialize/archive.h>

namespace gcsflux {

/// Reads what Optimizer::save() wrote. If it is the state of another optimizer, `optimizer` does not change.
///
/// Unlike Optimizer::load(), it also restores the groups' options (learning rate, momentum), removes state that the
/// archive does not have, and checks the sizes of groups and the shapes of the state before. Throws c10::Error.
void LoadOptimizer(torch::optim::Optimizer& optimizer, torch::serialize::InputArchive& archive);

}  // namespace gcsflux
