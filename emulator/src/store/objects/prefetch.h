#pragma once

#include <cstddef>

namespace gcsflux::emulator {

/// Lets the processor fetch memory that is needed soon, while it does something else. Harmless if the memory is not
/// needed.
inline void Prefetch(const void* memory, std::size_t size) {
  constexpr std::size_t kCacheLine = 64;
  const char* const first = static_cast<const char*>(memory);
  for (std::size_t offset = 0; offset < size; offset += kCacheLine) __builtin_prefetch(first + offset);
  __builtin_prefetch(first + size);  // if it does not begin with a cache line, it reaches into one more
}

}  // namespace gcsflux::emulator
