#include "transfer/download/even_ranges.h"

#include <algorithm>

namespace gcsflux::internal {

std::size_t RangeCount(std::uint64_t object_bytes, std::uint64_t range_bytes) {
  constexpr std::uint64_t kMost = 10'000;
  if (range_bytes == 0 || object_bytes <= range_bytes) return 1;
  const std::uint64_t full = object_bytes / range_bytes;
  return static_cast<std::size_t>(std::min(kMost, full + (object_bytes % range_bytes != 0 ? 1 : 0)));
}

Range RangeAt(std::uint64_t object_bytes, std::size_t count, std::size_t index) {
  const std::uint64_t length = object_bytes / count;
  const std::uint64_t longer = object_bytes % count;  // The first `longer` ranges have one byte more.
  const std::uint64_t offset = index * length + std::min<std::uint64_t>(index, longer);
  return {offset, length + (index < longer ? 1 : 0)};
}

}  // namespace gcsflux::internal
