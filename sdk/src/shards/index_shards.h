#pragma once

#include "gcsflux/client.h"
#include "gcsflux/shards.h"
#include "shards/shard_index.h"

namespace gcsflux::internal {

/// Stores the index of a shard beside it.
Result<void> StoreIndex(const Client& client, const ObjectName& shard, const ShardIndex& index,
                        const ShardOptions& options);

}  // namespace gcsflux::internal
