#pragma once

#include "sharding/shard_checkpoint.h"

namespace gcsflux::internal {

/// Writes a checkpoint as a folder that PyTorch's torch.distributed.checkpoint.load() reads, as if `ranks` ranks had
/// saved it: __0_0.distcp, ..., and at the end .metadata. Files are divided as ShardCheckpoint() does. Values that are
/// not tensors are in the first one, unless `is_tensors_only` leaves them out. After an error some files may exist.
/// Returns kInvalidArgument if the format has no place for a value or a type.
Result<WrittenShards> WriteDistributed(const StoredCheckpoint& checkpoint, int ranks, const ShardWriter& write_file,
                                       bool is_tensors_only = false);

}  // namespace gcsflux::internal
