#include "transfer/read/range_checksums.h"

#include <algorithm>
#include <iterator>

#include "base/crc32c.h"

namespace gcsflux::internal {

std::vector<Range> RangeChecksums::Claim(const Range& range) {
  std::vector<Range> claims;
  std::uint64_t position = range.offset;
  auto next = entries_.upper_bound(position);
  if (next != entries_.begin()) {
    const auto before = std::prev(next);
    position = std::max(position, before->first + before->second.length);
  }
  while (position < range.end()) {
    const std::uint64_t end = next == entries_.end() ? range.end() : std::min(range.end(), next->first);
    if (position < end) {
      claims.push_back({position, end - position});
      entries_.emplace_hint(next, position, Entry{.length = end - position});
    }
    if (next == entries_.end()) break;
    position = next->first + next->second.length;
    ++next;
  }
  claimed_ += claims.size();
  return claims;
}

void RangeChecksums::Settle(const Range& claimed, std::uint64_t came, std::uint32_t crc32c) {
  --claimed_;
  const auto entry = entries_.find(claimed.offset);
  if (came == 0) {
    entries_.erase(entry);
    return;
  }
  entry->second = {came, crc32c};
  Join(entry);
}

// Joins it with its neighbours.
void RangeChecksums::Join(std::map<std::uint64_t, Entry>::iterator entry) {
  const auto append = [this](auto first, auto second) {
    const bool touches = first->first + first->second.length == second->first;
    if (!touches || !first->second.crc32c || !second->second.crc32c) return false;
    first->second.crc32c = CombineCrc32c(*first->second.crc32c, *second->second.crc32c, second->second.length);
    first->second.length += second->second.length;
    entries_.erase(second);
    return true;
  };
  if (const auto next = std::next(entry); next != entries_.end()) append(entry, next);
  if (entry != entries_.begin()) append(std::prev(entry), entry);
}

std::optional<std::uint32_t> RangeChecksums::Whole(std::uint64_t size) const {
  if (size == 0) return 0;
  if (entries_.empty()) return std::nullopt;
  const auto& [offset, entry] = *entries_.begin();
  return offset == 0 && entry.length == size ? entry.crc32c : std::nullopt;
}

}  // namespace gcsflux::internal
