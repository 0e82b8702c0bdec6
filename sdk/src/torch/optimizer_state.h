#pragma once

#include <torch/optim/optimizer.h>
#include <torch/serialize/archive.h>

namespace gcsflux {

/// Reads what Optimizer::save() wrote, and leaves `optimizer` untouched where that is the state of another one.
///
/// More than Optimizer::load(): the groups' options (learning rate, momentum) come back as well, state that the
/// archive does not have is dropped, and the groups' sizes and the state's shapes are checked beforehand.
/// Throws c10::Error.
void LoadOptimizer(torch::optim::Optimizer& optimizer, torch::serialize::InputArchive& archive);

}  // namespace gcsflux
