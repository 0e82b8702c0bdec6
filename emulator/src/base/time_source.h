#pragma once

#include <chrono>
#include <functional>

namespace gcsflux::emulator {

using Time = std::chrono::system_clock::time_point;

/// The source of all of the emulator's time: timestamps, generations, the age of upload sessions.
using TimeSource = std::function<Time()>;

}  // namespace gcsflux::emulator
