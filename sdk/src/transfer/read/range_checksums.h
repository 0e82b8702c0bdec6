#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gcsflux::internal {

/// A stretch of an object's bytes.
struct Range {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  [[nodiscard]] std::uint64_t end() const { return offset + length; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// The CRC32Cs of the received bytes of an object, in any order, each byte once. Neighbouring ranges are combined. For
/// one thread at a time.
class RangeChecksums {
 public:
  /// Claims and returns the parts of the range that have no checksum and are not claimed. The caller must settle each
  /// one.
  std::vector<Range> Claim(const Range& range);
  /// The first `came` bytes of the claimed range have this checksum. The rest is no longer claimed.
  void Settle(const Range& claimed, std::uint64_t came, std::uint32_t crc32c);
  /// The range, of which nothing is claimed, has this checksum.
  void Add(const Range& range, std::uint32_t crc32c) {
    for (const Range& claimed : Claim(range)) Settle(claimed, claimed.length, crc32c);
  }
  /// True if an range is claimed and not settled.
  [[nodiscard]] bool is_claimed() const { return claimed_ > 0; }
  /// The checksum of all `size` bytes of the object, once all have come.
  [[nodiscard]] std::optional<std::uint32_t> Whole(std::uint64_t size) const;

 private:
  struct Entry {
    std::uint64_t length = 0;
    std::optional<std::uint32_t> crc32c = {};  // Absent while it is claimed.
  };
  void Join(std::map<std::uint64_t, Entry>::iterator entry);

  std::map<std::uint64_t, Entry> entries_;  // By offset; without overlaps.
  std::size_t claimed_ = 0;
};

}  // namespace gcsflux::internal
