#pragma once

#include "store/bytes/computed_bytes.h"

namespace gcsflux::emulator {

/// Bytes that differ by `key` and by position. Blocks of 4 KiB are one tile of noise, and every word of a tile is xored
/// with the block's own number. These numbers are consecutive states of a xorshift generator of period 2^64 - 1, so no
/// two blocks of an object are the same. All of it is linear over GF(2), like CRC32C: the CRC32C of 2^k blocks is one
/// matrix applied to the first block's number.
class ComputedContent final : public ComputedBytes {
 public:
  /// Different keys give different contents from eight bytes on.
  ComputedContent(std::uint64_t key, std::uint64_t size) : key_(key != 0 ? key : 1), size_(size) {}

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] std::uint32_t crc32c() const override;
  void Read(std::uint64_t offset, std::span<std::byte> into) const override;

 private:
  const std::uint64_t key_;  // the first block's number; 0 would be followed by zeros only
  const std::uint64_t size_;
};

}  // namespace gcsflux::emulator
