#include "store/bytes/crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <array>

namespace gcsflux::emulator {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // Castagnoli's, reflected
constexpr std::uint32_t kOne = 0x80000000;         // x^0: the highest bit is the lowest power

constexpr std::uint32_t MultiplyModulo(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = kOne; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = (b & 1) != 0 ? (b >> 1) ^ kPolynomial : b >> 1;
  }
  return product;
}

// Entry k is x^(8 * 2^k), by which 2^k following bytes multiply a checksum.
constexpr std::array<std::uint32_t, 64> kPowers = [] {
  std::array<std::uint32_t, 64> powers{};
  powers[0] = kOne >> 8;
  for (std::size_t k = 1; k < powers.size(); ++k) powers[k] = MultiplyModulo(powers[k - 1], powers[k - 1]);
  return powers;
}();

}  // namespace

std::uint32_t ExtendCrc32c(std::uint32_t crc, std::span<const std::byte> bytes) {
  constexpr std::size_t kMaxCall = std::size_t{1} << 30;  // the library counts in int
  std::uint32_t state = ~crc;
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), kMaxCall);
    // The library only reads it, but its declaration lacks const.
    auto* data = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes.data()));
    state = crc32_iscsi(data, static_cast<int>(size), state);
    bytes = bytes.subspan(size);
  }
  return ~state;
}

std::uint32_t CombineCrc32c(std::uint32_t first, std::uint32_t second, std::uint64_t second_length) {
  std::uint32_t shifted = first;
  for (std::size_t k = 0; second_length != 0; ++k, second_length >>= 1) {
    if ((second_length & 1) != 0) shifted = MultiplyModulo(shifted, kPowers[k]);
  }
  return shifted ^ second;
}

}  // namespace gcsflux::emulator
