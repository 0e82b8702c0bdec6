#pragma once

#include <string>
#include <string_view>

namespace gcsflux::internal {

/// The text with its ASCII letters in lower case, in any locale.
inline std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

}  // namespace gcsflux::internal
