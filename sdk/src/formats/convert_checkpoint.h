#pragma once

#include <string>
#include <vector>

#include "gcsflux/checkpoints/stored_checkpoint.h"

namespace gcsflux::internal {

/// Gives the file that ConvertCheckpoint() writes, kTorchFile or kSafetensors, to the sink.
Result<void> WriteConverted(const StoredCheckpoint& checkpoint, CheckpointFormat format, const ByteSink& sink,
                            bool is_tensors_only = false);

/// The names of the values that are not tensors: values of a file of torch.save, values that gcsflux does not read,
/// metadata of safetensors.
Result<std::vector<std::string>> OtherValues(const StoredCheckpoint& checkpoint);

/// kInvalidArgument, with names, if the checkpoint holds values that are not tensors. `keeps_values`: the values that
/// CheckpointRun writes into safetensors are no reason.
Result<void> CheckTensorsOnly(const StoredCheckpoint& checkpoint, bool keeps_values);

}  // namespace gcsflux::internal
