#include "identity/base64url.h"

#include <cstdint>

namespace gcsflux::emulator {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

std::string EncodeBase64Url(std::string_view bytes) {
  std::string text;
  std::uint32_t pending = 0;
  int pending_bits = 0;
  for (const char c : bytes) {
    pending = (pending << 8 | static_cast<unsigned char>(c)) & 0xFFFF;
    for (pending_bits += 8; pending_bits >= 6; pending_bits -= 6) text += kAlphabet[pending >> (pending_bits - 6) & 63];
  }
  if (pending_bits != 0) text += kAlphabet[pending << (6 - pending_bits) & 63];
  return text;
}

std::optional<std::string> DecodeBase64Url(std::string_view text) {
  std::string bytes;
  std::uint32_t pending = 0;
  int pending_bits = 0;
  for (const char c : text) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    pending = (pending << 6 | static_cast<std::uint32_t>(value)) & 0xFFFF;
    pending_bits += 6;
    if (pending_bits < 8) continue;
    pending_bits -= 8;
    bytes += static_cast<char>(pending >> pending_bits & 0xFF);
  }
  const bool has_stray_bits = pending_bits == 6 || (pending & ((1U << pending_bits) - 1)) != 0;
  return has_stray_bits ? std::nullopt : std::optional(bytes);
}

}  // namespace gcsflux::emulator
