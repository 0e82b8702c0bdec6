#include "transfer/object_reader/join_ranges.h"

#include <algorithm>

namespace gcsflux::internal {
namespace {

std::uint64_t EndOf(const RangeRead& read) { return read.offset + read.into.size(); }

// Divides it into parts of about the same size. All gaps lie in the first `range_bytes`, and two parts are longer than
// that, so each part has requested bytes.
void Cut(const JoinedRange& whole, std::uint64_t range_bytes, std::vector<JoinedRange>& requests) {
  const std::uint64_t length = whole.range.length;
  const std::uint64_t count = (length - 1) / range_bytes + 1;
  const std::uint64_t each = (length - 1) / count + 1;
  for (std::uint64_t offset = whole.range.offset; offset < whole.range.end(); offset += each) {
    JoinedRange request{.range = {offset, std::min(each, whole.range.end() - offset)}};
    for (const RangeRead& read : whole.parts) {
      const RangeRead part = PartIn(read, request.range);
      if (!part.into.empty()) request.parts.push_back(part);
    }
    requests.push_back(std::move(request));
  }
}

}  // namespace

RangeRead PartIn(const RangeRead& read, const Range& range) {
  const std::uint64_t first = std::max(read.offset, range.offset);
  const std::uint64_t end = std::min(EndOf(read), range.end());
  if (first >= end) return {};
  return {first,
          read.into.subspan(static_cast<std::size_t>(first - read.offset), static_cast<std::size_t>(end - first))};
}

std::vector<JoinedRange> JoinRanges(std::vector<RangeRead> ranges, std::uint64_t gap, std::uint64_t range_bytes) {
  std::ranges::sort(ranges, {}, &RangeRead::offset);
  std::vector<JoinedRange> requests;
  JoinedRange joined;
  for (const RangeRead& read : ranges) {
    const bool is_near = !joined.parts.empty() && read.offset <= joined.range.end() + gap;
    const bool fits = is_near && (read.offset < joined.range.end() ||
                                  EndOf(read) - joined.range.offset <= std::max(range_bytes, joined.range.length));
    if (!joined.parts.empty() && !fits) {
      Cut(joined, range_bytes, requests);
      joined = {};
    }
    if (joined.parts.empty()) joined.range = {read.offset, 0};
    joined.range.length = std::max(joined.range.end(), EndOf(read)) - joined.range.offset;
    joined.parts.push_back(read);
  }
  if (!joined.parts.empty()) Cut(joined, range_bytes, requests);
  return requests;
}

}  // namespace gcsflux::internal
