#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gcsflux::internal {

/// CRC-32 of zip archives, continued from `crc`; that of no bytes is 0.
std::uint32_t ExtendCrc32(std::uint32_t crc, std::span<const std::byte> data);

/// As CombineCrc32c().
std::uint32_t CombineCrc32(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

}  // namespace gcsflux::internal
