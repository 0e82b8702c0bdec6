#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace gcsflux::testing {

inline std::string Concatenated(std::initializer_list<std::string_view> pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

}  // namespace gcsflux::testing
