#include "base/crc32.h"

#include <isa-l/crc.h>
#include <zlib.h>

namespace gcsflux::internal {

std::uint32_t ExtendCrc32(std::uint32_t crc, std::span<const std::byte> data) {
  return crc32_gzip_refl(crc, reinterpret_cast<const unsigned char*>(data.data()), data.size());
}

std::uint32_t CombineCrc32(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) {
  return static_cast<std::uint32_t>(crc32_combine(first, second, static_cast<z_off_t>(second_bytes)));
}

}  // namespace gcsflux::internal
