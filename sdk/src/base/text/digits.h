#pragma once

#include <optional>
#include <string_view>

namespace gcsflux::internal {

/// The number in [begin, begin + length). Nothing if there are other characters.
inline std::optional<unsigned> Digits(std::string_view text, std::size_t begin, std::size_t length) {
  unsigned value = 0;
  for (const char c : text.substr(begin, length)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value;
}

}  // namespace gcsflux::internal
