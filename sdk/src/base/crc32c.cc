#include "base/crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <limits>

namespace gcsflux::internal {

std::uint32_t ExtendCrc32c(std::uint32_t crc, std::span<const std::byte> data) {
  // crc32_iscsi takes an int, and neither inverts its seed nor its result. It does not write to the buffer, whatever
  // its signature says.
  constexpr std::size_t kMost = std::size_t{1} << 30;
  crc = ~crc;
  while (!data.empty()) {
    const auto piece = data.first(std::min(data.size(), kMost));
    auto* bytes = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(piece.data()));
    crc = crc32_iscsi(bytes, static_cast<int>(piece.size()), crc);
    data = data.subspan(piece.size());
  }
  return ~crc;
}

}  // namespace gcsflux::internal
