#include "formats/zip/crc32.h"

#include <isa-l/crc.h>

#include <cstddef>

namespace gcsflux::internal {

std::uint32_t ExtendCrc32(std::uint32_t crc, std::span<const std::byte> data) {
  return crc32_gzip_refl(crc, reinterpret_cast<const unsigned char*>(data.data()), data.size());
}

}  // namespace gcsflux::internal
