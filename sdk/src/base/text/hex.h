#pragma once

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

}  // namespace gcsflux::internal
