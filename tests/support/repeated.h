#pragma once

#include <string>
#include <string_view>

namespace gcsflux::testing {

inline std::string Repeated(std::string_view text, std::size_t times) {
  std::string repeated;
  repeated.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) repeated += text;
  return repeated;
}

}  // namespace gcsflux::testing
