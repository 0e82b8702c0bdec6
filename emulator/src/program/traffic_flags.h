#pragma once

#include <span>

#include "gcsflux/emulator/quotas.h"
#include "gcsflux/emulator/shaping.h"

namespace gcsflux::emulator {

/// The names of the flags for delays and quotas.
std::span<const char* const> TrafficFlagNames();

struct TrafficSettings {
  Shaping shaping = {};
  Quotas quotas = {};
};

/// The value of these flags: the profile, and what is set in addition. Throws std::invalid_argument, which names the
/// flag.
TrafficSettings TrafficFromFlags();

}  // namespace gcsflux::emulator
