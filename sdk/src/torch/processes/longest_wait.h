#pragma once

#include <chrono>

#include "base/process/for_ever.h"

namespace gcsflux {

/// What c10d gets as a caller's deadline. It adds deadlines to the present time: that of a longer one overflows.
inline std::chrono::milliseconds AtMostForEver(std::chrono::milliseconds deadline) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(internal::InNanoseconds(deadline));
}

}  // namespace gcsflux
