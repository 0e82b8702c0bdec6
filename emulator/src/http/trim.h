#pragma once

#include <algorithm>
#include <string_view>

namespace gcsflux::emulator {

/// The text without blanks and tabs at its ends.
inline std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

}  // namespace gcsflux::emulator
