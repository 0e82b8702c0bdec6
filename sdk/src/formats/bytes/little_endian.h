#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gcsflux::internal {

/// The little-endian number at the beginning of `bytes`, which must be long enough.
template <class Number>
Number FromLittleEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return static_cast<Number>(value);
}

template <class Number>
void AppendLittleEndian(std::string& text, Number value) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    text += static_cast<char>(static_cast<unsigned char>(static_cast<std::uint64_t>(value) >> (8 * i)));
  }
}

}  // namespace gcsflux::internal
