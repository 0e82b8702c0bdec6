#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/crc32.h"
#include "base/crc32c.h"
#include "gcsflux/object.h"

namespace gcsflux::internal {

/// As ExtendCrc32c(), for any kind.
inline std::uint32_t ExtendChecksum(Checksum kind, std::uint32_t sum, std::span<const std::byte> data) {
  return kind == Checksum::kCrc32 ? ExtendCrc32(sum, data) : ExtendCrc32c(sum, data);
}

/// As CombineCrc32c(), for any kind.
inline std::uint32_t CombineChecksums(Checksum kind, std::uint32_t first, std::uint32_t second,
                                      std::uint64_t second_bytes) {
  return kind == Checksum::kCrc32 ? CombineCrc32(first, second, second_bytes)
                                  : CombineCrc32c(first, second, second_bytes);
}

}  // namespace gcsflux::internal
