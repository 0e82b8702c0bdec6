#pragma once

#include <span>

#include "gcsflux/emulator/quotas.h"
#include "gcsflux/emulator/shaping.h"

namespace gcsflux::emulator {

/// The names of the flags that say how slow the emulator is, and how much it takes.
std::span<const char* const> TrafficFlagNames();

struct TrafficSettings {
  Shaping shaping = {};
  Quotas quotas = {};
};

/// What these flags say: the profile, and what is set beside it. Throws std::invalid_argument, which names the flag.
TrafficSettings TrafficFromFlags();

}  // namespace gcsflux::emulator
