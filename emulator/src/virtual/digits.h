#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gcsflux::emulator {

/// Appends `value` in decimal, in at least `width` digits.
inline void AppendPadded(std::string& out, std::uint64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

/// Appends the 16 hexadecimal digits of `value`.
inline void AppendHex(std::string& out, std::uint64_t value) {
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[value >> shift & 15];
}

}  // namespace gcsflux::emulator
