#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/result.h"

namespace gcsflux::internal {

inline constexpr std::size_t kMostShards = 1'000'000;

/// The names that a pattern with braces stands for, in its order: "a-{000..127}.tar" counts with the digits of its
/// first number, "{x,y}" lists; several braces multiply. Without braces, the pattern alone. Returns kInvalidArgument if
/// braces are nested, open or senseless, or stand for more than kMostShards names; nothing is expanded then.
Result<std::vector<std::string>> ExpandBraces(std::string_view pattern);

/// A shard of a list.
struct WidsShard {
  std::string name = {};
  std::optional<std::uint64_t> samples = {};  ///< Its "nsamples".
};

/// The shards in a list of the format wids-shard-index-v1, in its order. URLs are relative to the list, which is
/// the object `list` of `bucket`, or of this bucket. Returns kUndecodable if it is no such list, and kInvalidArgument
/// for shards elsewhere, and for more than kMostShards.
Result<std::vector<WidsShard>> ReadWidsList(const std::string& bucket, const std::string& list, std::string_view json);

}  // namespace gcsflux::internal
