#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gcsflux {

/// CRC32C (Castagnoli) is what Cloud Storage keeps of each object; CRC-32 is that of zip archives.
enum class Checksum : std::uint8_t { kCrc32c, kCrc32 };

/// A read of `into.size()` bytes from `offset` on.
struct RangeRead {
  std::uint64_t offset = 0;
  std::span<std::byte> into = {};
};

}  // namespace gcsflux
