#pragma once

#include "gcsflux/torch/dataset_handle.h"

namespace gcsflux::internal {

/// Samples without a transform, of type torch::data::TensorExample: uint8 tensors that view the memory of their
/// objects, or copies of it.
SampleMaker RawSamples(bool copy_out);

}  // namespace gcsflux::internal
