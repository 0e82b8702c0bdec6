#pragma once

#include <cstddef>
#include <string>

namespace gcsflux::bench {

/// The object that the processes of a benchmark compute alike without sending it to each other.
inline std::string ContentOf(std::size_t bytes) {
  std::string content(bytes, 'l');
  for (std::size_t i = 0; i < bytes; i += 64) content[i] = static_cast<char>(i >> 6);
  return content;
}

}  // namespace gcsflux::bench
