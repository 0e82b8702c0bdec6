#pragma once

#include <malloc.h>

#include <cstddef>

namespace gcsflux::emulator {

/// What malloc() has given out and not got back, in bytes.
inline std::size_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace gcsflux::emulator
