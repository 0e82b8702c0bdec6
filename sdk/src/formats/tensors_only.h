#pragma once

#include "gcsflux/checkpoints/checkpoint.h"

namespace gcsflux::internal {

/// kInvalidArgument, with names, if the checkpoint holds values that are not tensors. `keeps_values`: the values that
/// CheckpointRun writes into safetensors are no reason.
Result<void> CheckTensorsOnly(const StoredCheckpoint& checkpoint, bool keeps_values);

}  // namespace gcsflux::internal
