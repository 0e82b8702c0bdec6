#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

namespace gcsflux::emulator {

inline std::string_view AsText(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the run with `claim` if it does not hold; libFuzzer then keeps the input.
inline void Require(bool holds, std::string_view claim) {
  if (holds) return;
  std::cerr << "does not hold: " << claim << '\n';
  std::abort();
}

}  // namespace gcsflux::emulator
