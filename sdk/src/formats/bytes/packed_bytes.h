#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/crc32c.h"

// Small files of our own: numbers as LEB128, signed ones zigzag first; a text is its length and its bytes; the last
// four bytes are the CRC32C of all others, little-endian.
namespace gcsflux::internal {

inline constexpr std::size_t kSealBytes = 4;

/// The CRC32C at the end.
inline std::uint32_t Seal(std::string_view text) { return ExtendCrc32c(0, std::as_bytes(std::span(text))); }

class PackedWriter {
 public:
  void Reserve(std::size_t bytes) { text_.reserve(bytes); }
  void Raw(std::string_view bytes) { text_ += bytes; }
  void Number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>((value & 0x7F) | 0x80);
    text_ += static_cast<char>(value);
  }
  void Signed(std::int64_t value) {
    Number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void Text(std::string_view text) {
    Number(text.size());
    text_ += text;
  }
  void Fixed32(std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) text_ += static_cast<char>(value >> shift);
  }
  std::string TakeSealed() && {
    Fixed32(Seal(text_));
    return std::move(text_);
  }

 private:
  std::string text_;
};

/// After a failure it returns only 0 or empty values.
class PackedReader {
 public:
  explicit PackedReader(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool has_failed() const { return has_failed_; }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }
  void Fail() {
    has_failed_ = true;
    rest_ = {};
  }

  std::string_view Raw(std::uint64_t count) {
    if (count > rest_.size()) Fail();
    const std::string_view bytes = rest_.substr(0, static_cast<std::size_t>(has_failed_ ? 0 : count));
    rest_.remove_prefix(bytes.size());
    return bytes;
  }
  std::uint64_t Number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::string_view byte = Raw(1);
      if (byte.empty()) return 0;
      const auto bits = static_cast<std::uint64_t>(static_cast<unsigned char>(byte.front()));
      if (shift == 63 && bits > 1) break;
      value |= (bits & 0x7F) << shift;
      if (bits < 0x80) return value;
    }
    Fail();
    return 0;
  }
  std::int64_t Signed() {
    const std::uint64_t value = Number();
    return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }
  std::string_view Text() { return Raw(Number()); }
  std::uint32_t Fixed32() {
    std::uint32_t value = 0;
    int shift = 0;
    for (const char byte : Raw(4))
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(byte)) << std::exchange(shift, shift + 8);
    return value;
  }

 private:
  std::string_view rest_;
  bool has_failed_ = false;
};

}  // namespace gcsflux::internal
