#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gcsflux/checkpoints/checkpoint_manifest.h"
#include "gcsflux/checkpoints/stored_checkpoint.h"
#include "gcsflux/checkpoints/write_checkpoint.h"

// One checkpoint as files of many: docs/distributed.md.
namespace gcsflux {

/// Stores one of the files: StepWriter::WriteFile() for a step, WriteCheckpoint() for a folder.
using ShardWriter = std::function<Result<StepFile>(const std::string& name, const CheckpointWriter& write)>;

struct ShardCheckpointOptions {
  /// Leaves out values that are not tensors. If it is false, such a value is an error that names it.
  bool is_tensors_only = false;
};

/// What a manifest says of the files.
struct WrittenShards {
  std::vector<StepFile> files = {};
  std::vector<StepTensor> tensors = {};
};

/// Writes a checkpoint's tensors as `shards` files of safetensors, one after the other. All get about the same number
/// of bytes: tensors of more than 4096 bytes are divided by rows. The names of the files, and the metadata with the
/// offsets of slices, are those of ShardedCheckpoints. If there are fewer rows than files, fewer are written, but one
/// at least. Takes as much memory as ConvertCheckpoint(), and reads each tensor twice.
///
/// kInvalidArgument: less than 1 or more than 99999 shards; a tensor's name that is there twice; a type that
/// safetensors lacks; values that are not tensors. kCorrupted if the source gives other bytes the second time. After an
/// error some files may be there.
Result<WrittenShards> ShardCheckpoint(const StoredCheckpoint& checkpoint, int shards, const ShardWriter& write_file,
                                      const ShardCheckpointOptions& options = {});

}  // namespace gcsflux
