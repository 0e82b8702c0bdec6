#include "base/base64.h"

#include <array>
#include <cstdint>

namespace gcsflux::emulator {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string EncodeBase64(std::string_view bytes) { return EncodeBase64(std::as_bytes(std::span(bytes))); }

std::string EncodeBase64(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    }
    const std::size_t digits = bytes.size() - i >= 3 ? 4 : bytes.size() - i + 1;
    for (std::size_t k = 0; k < 4; ++k) text += k < digits ? kAlphabet[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::string_view digits = text.substr(0, text.find('='));
  const std::size_t padding = text.size() - digits.size();
  if (padding > 2 || text.substr(digits.size()).find_first_not_of('=') != std::string_view::npos) return std::nullopt;
  std::string bytes;
  std::uint32_t pending = 0;
  int pending_bits = 0;
  for (const char c : digits) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    pending = pending << 6 | static_cast<std::uint32_t>(value);
    pending_bits += 6;
    if (pending_bits < 8) continue;
    pending_bits -= 8;
    bytes += static_cast<char>(pending >> pending_bits & 0xFF);
  }
  const bool has_stray_bits = (pending & ((1U << pending_bits) - 1)) != 0;
  return has_stray_bits ? std::nullopt : std::optional(bytes);
}

}  // namespace gcsflux::emulator
