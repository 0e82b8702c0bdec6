#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

constexpr char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// `text` with its ASCII letters in lower case.
inline std::string LowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), ToLower);
  return text;
}

/// Whether `text` is `lower_case`, whatever the case of its ASCII letters.
inline bool IsInAnyCase(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return ToLower(a) == b; });
}

}  // namespace gcsflux::emulator
