#include <array>
#include <cstddef>
#include <string_view>

#include "base/mix.h"
#include "virtual/name_patterns.h"

namespace gcsflux::emulator {
namespace {

// Characters of one to four bytes, in the order of their code points, which is the bytewise order of UTF-8.
constexpr std::array<std::string_view, 32> kAlphabet = {
    " ", "-", "7", "A", "Z", "_",  "e",  "n",  "s",  "z",  "ß",  "é",  "ł",      "Ω", "λ", "Д",
    "ж", "я", "ש", "ن", "ก", "ᄀ", "あ", "ン", "中", "文", "語", "한", "\uFFFD", "😀", "🚀", "\U0010FFFD"};

// Every name starts with the characters that distinguish the indices, and ends with up to 12 of its own.
class Utf8 final : public NameSet {
 public:
  Utf8(std::uint64_t count, std::uint64_t seed) : NameSet(count), seed_(seed) {
    // A quarter of the beginnings are used, so there are gaps between the names.
    while (beginnings_ / 4 < count) {
      beginnings_ *= kAlphabet.size();
      ++width_;
    }
    stride_ = count == 0 ? 1 : beginnings_ / count;
  }

  [[nodiscard]] std::string Name(std::uint64_t index) const override {
    const std::uint64_t hash = Mix(seed_, index);
    std::uint64_t beginning = index * stride_ + MultiplyHigh(hash, stride_);
    std::array<std::string_view, kMaxWidth> characters;
    for (std::size_t i = width_; i != 0; --i, beginning /= kAlphabet.size()) {
      characters[i - 1] = kAlphabet[beginning % kAlphabet.size()];
    }
    std::string name;
    for (std::size_t i = 0; i < width_; ++i) name += characters[i];
    std::uint64_t rest = Mix(hash);
    for (std::uint64_t i = rest >> 60; i >= 4; --i, rest /= kAlphabet.size()) {
      name += kAlphabet[rest % kAlphabet.size()];
    }
    return name;
  }

 private:
  static constexpr std::size_t kMaxWidth = 12;

  const std::uint64_t seed_;
  std::uint64_t beginnings_ = 1;
  std::size_t width_ = 0;
  std::uint64_t stride_ = 1;
};

}  // namespace

std::unique_ptr<const NameSet> Utf8Names(std::uint64_t count, std::uint64_t seed) {
  return std::make_unique<Utf8>(count, seed);
}

}  // namespace gcsflux::emulator
