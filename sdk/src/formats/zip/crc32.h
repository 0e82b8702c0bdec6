#pragma once

#include <cstdint>
#include <span>

namespace gcsflux::internal {

/// CRC-32 of zip archives, continued from `crc`; that of no bytes is 0.
std::uint32_t ExtendCrc32(std::uint32_t crc, std::span<const std::byte> data);

}  // namespace gcsflux::internal
