#include "transfer/object_reader/join_ranges.h"

#include <algorithm>

namespace gcsflux::internal {
namespace {

std::uint64_t EndOf(const RangeRead& read) { return read.offset + read.into.size(); }

// Divides it into parts of about the same size. All gaps lie in the first `stripe_bytes`, and two parts are longer than
// that, so each part has requested bytes.
void Cut(const JoinedRange& whole, std::uint64_t stripe_bytes, std::vector<JoinedRange>& requests) {
  const std::uint64_t length = whole.extent.length;
  const std::uint64_t count = (length - 1) / stripe_bytes + 1;
  const std::uint64_t each = (length - 1) / count + 1;
  for (std::uint64_t offset = whole.extent.offset; offset < whole.extent.end(); offset += each) {
    JoinedRange request{.extent = {offset, std::min(each, whole.extent.end() - offset)}};
    for (const RangeRead& read : whole.parts) {
      const RangeRead part = PartIn(read, request.extent);
      if (!part.into.empty()) request.parts.push_back(part);
    }
    requests.push_back(std::move(request));
  }
}

}  // namespace

RangeRead PartIn(const RangeRead& read, const Extent& extent) {
  const std::uint64_t first = std::max(read.offset, extent.offset);
  const std::uint64_t end = std::min(EndOf(read), extent.end());
  if (first >= end) return {};
  return {first,
          read.into.subspan(static_cast<std::size_t>(first - read.offset), static_cast<std::size_t>(end - first))};
}

std::vector<JoinedRange> JoinRanges(std::vector<RangeRead> ranges, std::uint64_t gap, std::uint64_t stripe_bytes) {
  std::ranges::sort(ranges, {}, &RangeRead::offset);
  std::vector<JoinedRange> requests;
  JoinedRange joined;
  for (const RangeRead& read : ranges) {
    const bool is_near = !joined.parts.empty() && read.offset <= joined.extent.end() + gap;
    const bool fits = is_near && (read.offset < joined.extent.end() ||
                                  EndOf(read) - joined.extent.offset <= std::max(stripe_bytes, joined.extent.length));
    if (!joined.parts.empty() && !fits) {
      Cut(joined, stripe_bytes, requests);
      joined = {};
    }
    if (joined.parts.empty()) joined.extent = {read.offset, 0};
    joined.extent.length = std::max(joined.extent.end(), EndOf(read)) - joined.extent.offset;
    joined.parts.push_back(read);
  }
  if (!joined.parts.empty()) Cut(joined, stripe_bytes, requests);
  return requests;
}

}  // namespace gcsflux::internal
