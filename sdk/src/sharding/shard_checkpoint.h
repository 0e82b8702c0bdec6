#pragma once

#include <functional>
#include <string>
#include <vector>

#include "checkpoints/manifest.h"
#include "checkpoints/write_checkpoint.h"
#include "gcsflux/checkpoints/stored_checkpoint.h"

namespace gcsflux::internal {

/// Stores one of the files: StepWriter::WriteFile() for a step, WriteCheckpoint() for a folder.
using ShardWriter = std::function<Result<StepFile>(const std::string& name, const CheckpointWriter& write)>;

/// The files and their tensors, as for a manifest.
struct WrittenShards {
  std::vector<StepFile> files = {};
  std::vector<StepTensor> tensors = {};
};

/// Writes a checkpoint's tensors as `shards` files of safetensors, one after the other: ConvertCheckpoint(). All files
/// get about the same number of bytes. The names of the files, and the metadata with the offsets of slices, are those
/// of a group. If there are fewer rows than files, fewer files are written, but at least one. After an error some files
/// may exist.
Result<WrittenShards> ShardCheckpoint(const StoredCheckpoint& checkpoint, int shards, const ShardWriter& write_file,
                                      bool is_tensors_only = false);

}  // namespace gcsflux::internal
