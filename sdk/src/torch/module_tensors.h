#pragma once

#include "gcsflux/torch/state_dict.h"

namespace gcsflux {

/// A module's parameters and buffers with the names and in the order of Python's state_dict(), without undefined ones.
NamedTensors TensorsOf(const torch::nn::Module& module);

}  // namespace gcsflux
