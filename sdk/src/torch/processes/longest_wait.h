#pragma once

#include <chrono>

#include "base/process/no_time_limit.h"

namespace gcsflux {

/// Limits a caller's deadline for c10d, which adds it to the present time: a longer one would overflow.
inline std::chrono::milliseconds AtMostACentury(std::chrono::milliseconds deadline) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(internal::InNanoseconds(deadline));
}

}  // namespace gcsflux
