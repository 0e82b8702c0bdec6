#pragma once

#include <string>
#include <vector>

#include "gcsflux/stored_checkpoint.h"

namespace gcsflux {

struct ConvertCheckpointOptions {
  /// What is no tensor, or is not read, is left out. Otherwise it is an error that names it.
  bool is_tensors_only = false;
  bool has_checksums = true;  ///< As SafetensorsContents::has_checksums.
};

/// Writes a checkpoint's tensors in another format: kTorchFile or kSafetensors. In bounded memory, about 64 MiB beside
/// the source's and the sink's; but a tensor whose elements do not follow each other in the file is held whole.
///
/// In safetensors a tensor has no storage that others share: tied weights are written twice. A file of torch.save
/// becomes an OrderedDict of tensors. kInvalidArgument where the other format lacks a type, or the checkpoint holds
/// more than tensors: numbers, texts, metadata of safetensors other than "format".
Result<void> ConvertCheckpoint(const StoredCheckpoint& checkpoint, CheckpointFormat format, const ByteSink& sink,
                               const ConvertCheckpointOptions& options = {});

/// The names of what is no tensor: values of a file of torch.save, what is not read, metadata of safetensors.
Result<std::vector<std::string>> OtherValues(const StoredCheckpoint& checkpoint);

}  // namespace gcsflux
