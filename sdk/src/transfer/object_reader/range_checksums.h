#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gcsflux::internal {

/// A stretch of an object's bytes.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  [[nodiscard]] std::uint64_t end() const { return offset + length; }
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// The CRC32Cs of the bytes of an object that came, in whatever order, each byte once. Neighbours are combined. For one
/// thread at a time.
class RangeChecksums {
 public:
  /// The stretches of the range that have no checksum, and for which none is under way: now they are the caller's, who
  /// settles each one.
  std::vector<Extent> Claim(const Extent& range);
  /// The first `came` bytes of what was claimed have this checksum; the rest is as if it had not been claimed.
  void Settle(const Extent& claimed, std::uint64_t came, std::uint32_t crc32c);
  /// Something is claimed and not settled.
  [[nodiscard]] bool is_claimed() const { return claimed_ > 0; }
  /// The checksum of the object's `size` bytes, once all of them came.
  [[nodiscard]] std::optional<std::uint32_t> Whole(std::uint64_t size) const;

 private:
  struct Entry {
    std::uint64_t length = 0;
    std::optional<std::uint32_t> crc32c = {};  // Nothing: it is claimed.
  };
  void Join(std::map<std::uint64_t, Entry>::iterator entry);

  std::map<std::uint64_t, Entry> entries_;  // By offset; they do not overlap.
  std::size_t claimed_ = 0;
};

}  // namespace gcsflux::internal
