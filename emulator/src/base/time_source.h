#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace gcsflux::emulator {

using Time = std::chrono::system_clock::time_point;

/// The source of all of the emulator's time: timestamps, generations, the age of upload sessions.
using TimeSource = std::function<Time()>;

/// Since 1970, as generations count them.
inline std::int64_t Microseconds(Time time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}

}  // namespace gcsflux::emulator
