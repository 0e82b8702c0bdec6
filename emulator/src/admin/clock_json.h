#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "gcsflux/emulator/clock.h"

namespace gcsflux::emulator {

/// Reads {"advance_s": 3600}. Throws std::invalid_argument if it is anything else, or leads beyond the year 2200.
std::chrono::nanoseconds ParseAdvance(std::string_view json, Clock::Time now);

/// {"now":"2026-11-26T11:10:15.000Z"}
std::string RenderClock(Clock::Time now);

}  // namespace gcsflux::emulator
