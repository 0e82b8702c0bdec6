#include "transfer/object_reader/scatter.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "base/checksum.h"

namespace gcsflux::internal {

Scatter::Scatter(const JoinedRange& request, std::optional<Checksum> kind)
    : request_(request), kind_(kind), position_(request.range.offset) {
  if (!kind_) return;
  sums_.reserve(request_.parts.size());
  for (const RangeRead& part : request_.parts) sums_.push_back({part.into});
}

void Scatter::Put(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (offset < position_) first_ = 0;
  position_ = offset;
  const auto& parts = request_.parts;
  while (first_ < parts.size() && parts[first_].offset + parts[first_].into.size() <= offset) ++first_;
  const Range came{offset, bytes.size()};
  for (std::size_t i = first_; i < parts.size() && parts[i].offset < came.end(); ++i) {
    const RangeRead part = PartIn(parts[i], came);
    if (part.into.empty()) continue;
    const auto from = bytes.subspan(static_cast<std::size_t>(part.offset - offset), part.into.size());
    std::memcpy(part.into.data(), from.data(), from.size());
    if (!kind_) continue;
    if (part.offset == parts[i].offset) sums_[i].sum = 0;  // They may come again.
    sums_[i].sum = ExtendChecksum(*kind_, sums_[i].sum, from);
  }
}

std::vector<std::uint32_t> JoinSums(std::span<const RangeRead> ranges, std::vector<SummedBytes> parts, Checksum kind) {
  // Destinations do not overlap, so their addresses tell whose parts they are.
  const auto address = [](const SummedBytes& part) { return part.bytes.data(); };
  std::ranges::sort(parts, std::less<>(), address);
  std::vector<std::uint32_t> sums;
  sums.reserve(ranges.size());
  for (const RangeRead& range : ranges) {
    std::uint32_t sum = 0;
    const std::byte* const end = range.into.data() + range.into.size();
    auto part = std::ranges::lower_bound(parts, range.into.data(), std::less<>(), address);
    for (; part != parts.end() && std::less<>()(part->bytes.data(), end); ++part) {
      sum = CombineChecksums(kind, sum, part->sum, part->bytes.size());
    }
    sums.push_back(sum);
  }
  return sums;
}

}  // namespace gcsflux::internal
