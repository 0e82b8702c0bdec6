#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "transfer/read/range_checksums.h"

namespace gcsflux::internal {

/// The checksums of the claimed parts of a range, while its bytes come in order.
class ClaimedChecksums {
 public:
  explicit ClaimedChecksums(std::vector<Range> claims) : claims_(std::move(claims)), crc32cs_(claims_.size()) {}

  void Add(std::uint64_t offset, std::span<const std::byte> bytes) {
    const std::uint64_t end = offset + bytes.size();
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      const std::uint64_t first = std::max(offset, claims_[i].offset);
      const std::uint64_t last = std::min(end, claims_[i].end());
      if (first >= last) continue;
      crc32cs_[i] = ExtendCrc32c(
          crc32cs_[i], bytes.subspan(static_cast<std::size_t>(first - offset), static_cast<std::size_t>(last - first)));
    }
  }
  void Clear() { std::ranges::fill(crc32cs_, 0U); }
  /// The bytes before `position` have their checksum.
  void Settle(std::uint64_t position, RangeChecksums& checksums) const {
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      const std::uint64_t came = std::clamp(position, claims_[i].offset, claims_[i].end()) - claims_[i].offset;
      checksums.Settle(claims_[i], came, crc32cs_[i]);
    }
  }

 private:
  const std::vector<Range> claims_;
  std::vector<std::uint32_t> crc32cs_;
};

}  // namespace gcsflux::internal
