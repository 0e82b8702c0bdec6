#include "base/messages/json_text.h"

#include "base/text/utf8.h"

namespace gcsflux::internal {

std::string JsonText(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  const bool is_utf8 = IsUtf8(text);
  std::string json = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (byte < 0x20) {
      json += "\\u00";
      json += kHex[byte >> 4];
      json += kHex[byte & 0xF];
    } else {
      json += byte >= 0x80 && !is_utf8 ? '?' : c;
    }
  }
  return json + '"';
}

}  // namespace gcsflux::internal
