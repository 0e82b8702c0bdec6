#include "base/text/base64.h"

#include <array>

namespace gcsflux::internal {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::uint8_t kNoDigit = 0xFF;

// The value of each byte: listings decode millions of checksums.
constexpr auto kDigits = [] {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return digits;
}();

}  // namespace

std::string Base64Encode(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += i + k > bytes.size() ? '=' : kAlphabet[group >> (18 - 6 * k) & 0x3F];
    }
  }
  return text;
}

std::optional<std::string> Base64Decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  std::string bytes;
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_padding = i >= text.size() - padding;
    const std::uint8_t digit = is_padding ? std::uint8_t{0} : kDigits[static_cast<unsigned char>(text[i])];
    if (digit == kNoDigit) return std::nullopt;
    group = group << 6 | digit;
    if (i % 4 != 3) continue;
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(group >> shift & 0xFF);
    group = 0;
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

std::string Crc32cToBase64(std::uint32_t crc) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(crc >> shift & 0xFF);
  return Base64Encode(bytes);
}

std::optional<std::uint32_t> Crc32cFromBase64(std::string_view text) {
  if (text.size() != 8 || !text.ends_with("==")) return std::nullopt;
  std::uint64_t group = 0;
  for (const char c : text.substr(0, 6)) {
    const std::uint8_t digit = kDigits[static_cast<unsigned char>(c)];
    if (digit == kNoDigit) return std::nullopt;
    group = group << 6 | digit;
  }
  return static_cast<std::uint32_t>(group >> 4);
}

}  // namespace gcsflux::internal
