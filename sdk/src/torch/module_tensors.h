#pragma once

#include "gcsflux/torch/state_dict.h"

namespace gcsflux {

/// A module's parameters and buffers with the names and in the order of Python's state_dict(), without undefined ones.
NamedTensors TensorsOf(const torch::nn::Module& module);

/// Throws StorageError with kInvalidArgument if a tensor computes its elements from its memory when they are read: a
/// view by conj(), or of its imaginary part. libtorch's archives have only the memory.
void RefuseLazyViews(const torch::nn::Module& module);

}  // namespace gcsflux
