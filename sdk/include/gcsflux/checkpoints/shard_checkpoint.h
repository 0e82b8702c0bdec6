#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gcsflux/checkpoints/checkpoint_manifest.h"
#include "gcsflux/checkpoints/stored_checkpoint.h"
#include "gcsflux/checkpoints/write_checkpoint.h"

// Writes one checkpoint as several files: docs/distributed.md.
namespace gcsflux {

/// Stores one of the files: StepWriter::WriteFile() for a step, WriteCheckpoint() for a folder.
using ShardWriter = std::function<Result<StepFile>(const std::string& name, const CheckpointWriter& write)>;

struct ShardCheckpointOptions {
  /// Leaves out values that are not tensors. If it is false, such a value is an error that names it.
  bool is_tensors_only = false;
};

/// The files and their tensors, as for a manifest.
struct WrittenShards {
  std::vector<StepFile> files = {};
  std::vector<StepTensor> tensors = {};
};

/// Writes a checkpoint's tensors as `shards` files of safetensors, one after the other. All files get about the same
/// number of bytes: tensors of more than 4096 bytes are divided by rows. The names of the files, and the metadata with
/// the offsets of slices, are those of ShardedCheckpoints. If there are fewer rows than files, fewer files are written,
/// but at least one. Takes as much memory as ConvertCheckpoint(), and reads each tensor twice.
///
/// Returns kInvalidArgument if:
/// - `shards` is below 1 or above 99999,
/// - two tensors have one name,
/// - safetensors lacks a type, or
/// - there are values that are not tensors, without `is_tensors_only`.
/// Returns kCorrupted if the source gives other bytes the second time. After an error some files may exist.
Result<WrittenShards> ShardCheckpoint(const StoredCheckpoint& checkpoint, int shards, const ShardWriter& write_file,
                                      const ShardCheckpointOptions& options = {});

}  // namespace gcsflux
