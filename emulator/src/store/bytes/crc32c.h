#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gcsflux::emulator {

/// CRC32C of the bytes that `crc` stands for, followed by `bytes`. 0 stands for no bytes.
std::uint32_t ExtendCrc32c(std::uint32_t crc, std::span<const std::byte> bytes);

/// CRC32C of two byte strings joined, from theirs and the second one's length. O(log length).
std::uint32_t CombineCrc32c(std::uint32_t first, std::uint32_t second, std::uint64_t second_length);

}  // namespace gcsflux::emulator
