#include "crc32c.h"

#include <isa-l.h>

#include <algorithm>

namespace gcsflux::bench {

std::uint32_t ExtendCrc32c(std::uint32_t crc32c, std::string_view data) {
  constexpr std::size_t kPiece = 1U << 30;  // ISA-L counts in int.
  std::uint32_t state = ~crc32c;
  for (; !data.empty(); data.remove_prefix(std::min(kPiece, data.size()))) {
    auto* begin = reinterpret_cast<unsigned char*>(const_cast<char*>(data.data()));
    state = crc32_iscsi(begin, static_cast<int>(std::min(kPiece, data.size())), state);
  }
  return ~state;
}

std::string Crc32cBase64(std::uint32_t crc32c) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  const std::uint64_t bits = std::uint64_t{crc32c} << 4;  // 36 bits are six digits
  for (int shift = 30; shift >= 0; shift -= 6) text += kDigits[bits >> shift & 63];
  return text + "==";
}

}  // namespace gcsflux::bench
