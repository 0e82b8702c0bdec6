#pragma once

#include <string>
#include <vector>

#include "gcsflux/checkpoints/stored_checkpoint.h"

namespace gcsflux {

struct ConvertCheckpointOptions {
  /// Leaves out values that are not tensors, and values that gcsflux does not read. If it is false, such a value is an
  /// error that names it.
  bool is_tensors_only = false;
  bool has_checksums = true;  ///< As SafetensorsContents::has_checksums.
};

/// Writes a checkpoint's tensors in another format: kTorchFile or kSafetensors. Uses about 64 MiB of memory beyond the
/// source's and the sink's. If a tensor's elements do not follow each other in the file, the whole tensor is held too.
///
/// In safetensors no two tensors share a storage: tied weights are written twice. With kTorchFile, the file holds an
/// OrderedDict of tensors. If the source is a step of CheckpointRun in safetensors, the file holds the dict with all
/// values that the run would have saved as kTorchFile.
/// Returns kInvalidArgument if the other format lacks a type. Without `is_tensors_only`, returns it also if the
/// checkpoint holds more than tensors: numbers, texts, metadata of safetensors other than "format".
Result<void> ConvertCheckpoint(const StoredCheckpoint& checkpoint, CheckpointFormat format, const ByteSink& sink,
                               const ConvertCheckpointOptions& options = {});

/// The names of the values that are not tensors: values of a file of torch.save, values that gcsflux does not read,
/// metadata of safetensors.
Result<std::vector<std::string>> OtherValues(const StoredCheckpoint& checkpoint);

}  // namespace gcsflux
