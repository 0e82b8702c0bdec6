#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gcsflux/object.h"
#include "gcsflux/shards.h"
#include "shards/shard_index.h"

namespace gcsflux::internal {

/// A shard to write.
struct PlannedShard {
  std::string name = {};
  std::vector<std::size_t> objects = {};  ///< Its members in their order, as indices of the listing.
  std::size_t samples = 0;
  std::uint64_t bytes = 0;  ///< Of the whole tar.
};

/// Divides the objects under `prefix` among shards whose names `pattern` gives. Pure: the same arguments have the same
/// plan. Returns kInvalidArgument as PackShards() does.
Result<std::vector<PlannedShard>> PlanShards(const std::vector<ListedObject>& objects, const std::string& prefix,
                                             const std::string& pattern, const ShardOptions& options);

/// The name of a member: that of the object behind the prefix.
std::string MemberNameOf(const ListedObject& object, const std::string& prefix);

/// The tar header of a member.
std::string HeaderOf(const ListedObject& object, const std::string& prefix);

/// True if the shard of this index has just these members, with the objects' sizes and checksums.
bool HasMembers(const ShardIndex& index, const PlannedShard& shard, const std::vector<ListedObject>& objects,
                const std::string& prefix);

}  // namespace gcsflux::internal
