#pragma once

#include <vector>

#include "gcsflux/checkpoints/stored_checkpoint.h"
#include "sharding/sharded_checkpoints.h"

namespace gcsflux::internal {

/// What one file holds: parts of tensors, and where each is read.
struct Shard {
  int index = 0;
  std::vector<TensorPart> parts = {};
  std::vector<StoredTensor> sources = {};
};

/// Divides a checkpoint's tensors by bytes: ConvertCheckpoint(). Shards without a tensor are left out, but not the
/// first. Returns kInvalidArgument if two tensors have one name, or the number is not within 1 to 99999.
Result<std::vector<Shard>> DivideCheckpoint(const StoredCheckpoint& checkpoint, int shards);

}  // namespace gcsflux::internal
