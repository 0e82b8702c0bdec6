#pragma once

#include <malloc.h>

#include <cstddef>

namespace gcsflux::emulator {

/// Bytes that malloc() has allocated and that are not freed.
inline std::size_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace gcsflux::emulator
