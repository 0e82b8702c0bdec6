#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gcsflux::emulator {

/// The CRC32C of some bytes, whose CRC32C is `crc`, followed by `bytes`. 0 stands for no bytes.
std::uint32_t ExtendCrc32c(std::uint32_t crc, std::span<const std::byte> bytes);

/// The CRC32C of two byte strings joined, from their CRC32Cs and the second one's length. O(log length).
std::uint32_t CombineCrc32c(std::uint32_t first, std::uint32_t second, std::uint64_t second_length);

}  // namespace gcsflux::emulator
