#pragma once

#include "gcsflux/torch/dataset_handle.h"

namespace gcsflux::internal {

/// Makes samples without a transform, of type torch::data::TensorExample: uint8 tensors that are views of their
/// objects' memory, or copies of it.
SampleMaker RawSamples(bool copy_out);

}  // namespace gcsflux::internal
