#pragma once

#include <chrono>

#include "base/process/for_ever.h"

namespace gcsflux {

/// Limits a caller's deadline for c10d, which adds it to the present time: a longer one would overflow.
inline std::chrono::milliseconds AtMostForEver(std::chrono::milliseconds deadline) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(internal::InNanoseconds(deadline));
}

}  // namespace gcsflux
