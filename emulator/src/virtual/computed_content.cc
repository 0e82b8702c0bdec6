#include "virtual/computed_content.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

#include "base/mix.h"
#include "store/bytes/crc32c.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kWords = 512;
constexpr std::size_t kBlock = kWords * sizeof(std::uint64_t);

// For objects of up to 2^50 bytes; the largest of GCS has 5 * 2^40.
constexpr std::size_t kLevels = 38;

using Block = std::array<std::uint64_t, kWords>;

static_assert(std::endian::native == std::endian::little, "contents are the same on every machine");

constexpr Block kTile = [] {
  Block tile{};
  for (std::size_t i = 0; i < kWords; ++i) tile[i] = Mix(i);
  return tile;
}();

// A number's successor: Marsaglia's xorshift (https://www.jstatsoft.org/article/view/v008i14).
constexpr std::uint64_t Next(std::uint64_t number) {
  number ^= number << 13;
  number ^= number >> 7;
  return number ^ number << 17;
}

Block BlockOf(std::uint64_t number) {
  Block block;
  for (std::size_t i = 0; i < kWords; ++i) block[i] = kTile[i] ^ number;
  return block;
}

// A linear function of 64 bits: what each bit of the argument contributes.
template <class T>
using Linear = std::array<T, 64>;

template <class T>
T Apply(const Linear<T>& function, std::uint64_t argument) {
  T value = 0;
  for (; argument != 0; argument &= argument - 1)
    value ^= function[static_cast<std::size_t>(std::countr_zero(argument))];
  return value;
}

// What is known of 2^k consecutive blocks.
struct Level {
  std::uint64_t bytes = 0;
  Linear<std::uint64_t> advance = {};  // the number of the block after them, from that of the first
  std::uint32_t crc32c_of_zero = 0;    // their CRC32C if the first one's number were 0
  Linear<std::uint32_t> crc32c = {};   // how it changes with the first one's number

  [[nodiscard]] std::uint32_t Crc32c(std::uint64_t number) const { return crc32c_of_zero ^ Apply(crc32c, number); }
};

// Fills in a level from functions of the first block's number.
template <class Advance, class Crc32cOf>
Level MakeLevel(std::uint64_t bytes, const Advance& advance, const Crc32cOf& crc32c_of) {
  Level level{.bytes = bytes};
  level.crc32c_of_zero = crc32c_of(0);
  for (std::size_t bit = 0; bit < 64; ++bit) {
    const std::uint64_t number = std::uint64_t{1} << bit;
    level.advance[bit] = advance(number);
    level.crc32c[bit] = crc32c_of(number) ^ level.crc32c_of_zero;
  }
  return level;
}

using Levels = std::array<Level, kLevels>;

Levels MakeLevels() {
  Levels levels;
  levels[0] = MakeLevel(kBlock, Next, [](std::uint64_t number) {
    const Block block = BlockOf(number);
    return ExtendCrc32c(0, std::as_bytes(std::span(block)));
  });
  for (std::size_t k = 1; k < kLevels; ++k) {
    const Level& half = levels[k - 1];
    const auto behind_half = [&](std::uint64_t number) { return Apply(half.advance, number); };
    levels[k] = MakeLevel(
        half.bytes * 2, [&](std::uint64_t number) { return behind_half(behind_half(number)); },
        [&](std::uint64_t number) {
          return CombineCrc32c(half.Crc32c(number), half.Crc32c(behind_half(number)), half.bytes);
        });
  }
  return levels;
}

const Levels& TheLevels() {
  static const Levels levels = MakeLevels();
  return levels;
}

// The number of the block that comes `blocks` after the one with `number`.
std::uint64_t Advance(std::uint64_t number, std::uint64_t blocks) {
  for (; blocks != 0; blocks &= blocks - 1) {
    number = Apply(TheLevels()[static_cast<std::size_t>(std::countr_zero(blocks))].advance, number);
  }
  return number;
}

}  // namespace

std::uint32_t ComputedContent::crc32c() const {
  std::uint32_t crc = 0;
  std::uint64_t number = key_;
  for (std::uint64_t blocks = size_ / kBlock; blocks != 0; blocks &= ~std::bit_floor(blocks)) {
    const Level& level = TheLevels()[static_cast<std::size_t>(std::bit_width(blocks)) - 1];
    crc = CombineCrc32c(crc, level.Crc32c(number), level.bytes);
    number = Apply(level.advance, number);
  }
  // Of the last block only the bytes that exist: a page of a listing shows thousands of objects, most of them small.
  const std::size_t rest = size_ % kBlock;
  std::array<std::uint64_t, kWords> words;
  for (std::size_t i = 0; i * sizeof number < rest; ++i) words[i] = kTile[i] ^ number;
  return ExtendCrc32c(crc, std::as_bytes(std::span(words)).first(rest));
}

void ComputedContent::Read(std::uint64_t offset, std::span<std::byte> into) const {
  assert(offset <= size_ && into.size() <= size_ - offset);
  std::uint64_t number = Advance(key_, offset / kBlock);
  std::size_t skipped = offset % kBlock;
  for (; !into.empty(); number = Next(number), skipped = 0) {
    const std::size_t run = std::min(into.size(), kBlock - skipped);
    if (run == kBlock) {
      // Straight to their destination: reading costs what this loop costs.
      for (std::size_t i = 0; i < kWords; ++i) {
        const std::uint64_t word = kTile[i] ^ number;
        std::memcpy(into.data() + i * sizeof word, &word, sizeof word);
      }
    } else {
      const Block block = BlockOf(number);
      std::memcpy(into.data(), std::as_bytes(std::span(block)).data() + skipped, run);
    }
    into = into.subspan(run);
  }
}

}  // namespace gcsflux::emulator
