#pragma once

#include <string>
#include <utility>

namespace gcsflux::internal {

/// The text with `instead` for each byte that would control a terminal or break a line: control characters, also those
/// of Unicode (U+0080 to U+009F). Names and answers come from outside.
inline std::string Printable(std::string text, char instead) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {
      text[i] = text[i + 1] = instead;
    } else if (byte < ' ' || byte == 0x7F) {
      text[i] = instead;
    }
  }
  return text;
}

}  // namespace gcsflux::internal
