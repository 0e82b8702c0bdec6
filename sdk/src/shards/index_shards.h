#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "gcsflux/client.h"
#include "gcsflux/shards.h"
#include "shards/find_shards.h"
#include "shards/shard_index.h"

namespace gcsflux::internal {

/// Stores the index of a shard beside it.
Result<void> StoreIndex(const Client& client, const ObjectName& shard, const ShardIndex& index,
                        const ShardOptions& options);

/// The stored index, if the shard has one that fits.
std::optional<ShardIndex> PresentIndex(const Client& client, const std::string& bucket, const FoundShard& found,
                                       const ShardOptions& options);

/// Reads the shard, and makes its index. `on_bytes` is told of what was read.
Result<ShardIndex> ReadIndexOf(const Client& client, const std::string& bucket, const ListedObject& shard,
                               const ShardOptions& options, const std::function<void(std::uint64_t bytes)>& on_bytes);

}  // namespace gcsflux::internal
