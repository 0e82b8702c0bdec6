#pragma once

#include <string>
#include <string_view>

namespace gcsflux::testing {

inline std::string Repeated(std::string_view text, int times) {
  std::string repeated;
  for (int i = 0; i < times; ++i) repeated += text;
  return repeated;
}

}  // namespace gcsflux::testing
