#include "base/text/percent_encoding.h"

#include <charconv>

namespace gcsflux::internal {
namespace {

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

}  // namespace

void AppendPercentEncoded(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  for (const char c : text) {
    if (IsUnreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 0xF];
  }
}

std::string PercentEncode(std::string_view text) {
  std::string encoded;
  encoded.reserve(text.size());
  AppendPercentEncoded(encoded, text);
  return encoded;
}

std::string PercentDecode(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* const digits = text.data() + i + 1;
    const bool is_escape =
        text[i] == '%' && i + 2 < text.size() && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    decoded += is_escape ? static_cast<char>(byte) : text[i];
    if (is_escape) i += 2;
  }
  return decoded;
}

}  // namespace gcsflux::internal
