#pragma once

#include <cstdint>
#include <vector>

#include "gcsflux/object_reader.h"
#include "transfer/read/range_checksums.h"

namespace gcsflux::internal {

/// What one request fetches, and the destinations of its bytes: ranges within it, in the order of their offsets.
struct JoinedRange {
  Range range = {};
  std::vector<RangeRead> parts = {};
};

/// Returns the requests that fetch the ranges. No range is empty. Ranges with at most `gap` bytes between them are
/// joined, and what is longer than `range_bytes` is cut.
std::vector<JoinedRange> JoinRanges(std::vector<RangeRead> ranges, std::uint64_t gap, std::uint64_t range_bytes);

/// The part of the read in the range; empty if there is none.
RangeRead PartIn(const RangeRead& read, const Range& range);

}  // namespace gcsflux::internal
