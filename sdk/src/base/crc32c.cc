#include "base/crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <limits>

namespace gcsflux::internal {
namespace {

// Polynomials over GF(2), reflected like the checksum: the highest bit is the constant term.
constexpr std::uint32_t kPolynomial = 0x82F63B78;

std::uint32_t MultiplyModulo(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = 1U << 31; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = (b & 1) != 0 ? (b >> 1) ^ kPolynomial : b >> 1;
  }
  return product;
}

// x to the power of 8 * bytes, by squaring.
std::uint32_t ShiftBy(std::uint64_t bytes) {
  std::uint32_t power = 1U << 31;
  std::uint32_t square = 1U << 23;
  for (; bytes != 0; bytes >>= 1) {
    if ((bytes & 1) != 0) power = MultiplyModulo(square, power);
    square = MultiplyModulo(square, square);
  }
  return power;
}

}  // namespace

std::uint32_t ExtendCrc32c(std::uint32_t crc, std::span<const std::byte> data) {
  // crc32_iscsi takes an int, and inverts neither its seed nor its result. It does not write to the buffer, in spite of
  // its signature.
  constexpr std::size_t kMost = std::size_t{1} << 30;
  crc = ~crc;
  while (!data.empty()) {
    const auto chunk = data.first(std::min(data.size(), kMost));
    auto* bytes = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(chunk.data()));
    crc = crc32_iscsi(bytes, static_cast<int>(chunk.size()), crc);
    data = data.subspan(chunk.size());
  }
  return ~crc;
}

std::uint32_t CombineCrc32c(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) {
  return MultiplyModulo(ShiftBy(second_bytes), first) ^ second;
}

}  // namespace gcsflux::internal
