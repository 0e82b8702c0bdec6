#pragma once

#include <cstddef>
#include <cstdint>

#include "transfer/read/range_checksums.h"

namespace gcsflux::internal {

/// The number of ranges of an object: each has at most `range_bytes`, or more if there would be over 10,000 ranges. 0
/// means one range.
std::size_t RangeCount(std::uint64_t object_bytes, std::uint64_t range_bytes);

/// The ranges cover the object in order. Their lengths differ by a byte at most.
Range RangeAt(std::uint64_t object_bytes, std::size_t count, std::size_t index);

}  // namespace gcsflux::internal
