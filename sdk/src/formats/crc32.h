#pragma once

#include <cstdint>
#include <span>

namespace gcsflux::internal {

/// CRC-32 as zip archives have it, carried on from `crc`; that of nothing is 0.
std::uint32_t ExtendCrc32(std::uint32_t crc, std::span<const std::byte> data);

}  // namespace gcsflux::internal
