#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::internal {

/// Two lower-case digits for each byte.
inline std::string HexEncode(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 0xF];
  }
  return text;
}

/// Nothing if the text is not made of pairs of hexadecimal digits.
inline std::optional<std::string> HexDecode(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (; !text.empty(); text.remove_prefix(2)) {
    unsigned char byte = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + 2, byte, 16);
    if (failure != std::errc{} || end != text.data() + 2) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

}  // namespace gcsflux::internal
