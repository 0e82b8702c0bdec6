#pragma once

#include "gcsflux/emulator/quotas.h"
#include "gcsflux/emulator/shaping.h"

namespace gcsflux::emulator {

struct TrafficSettings {
  Shaping shaping = {};
  Quotas quotas = {};
};

/// The value of these flags: the profile, and what is set in addition. Throws std::invalid_argument, which names the
/// flag.
TrafficSettings TrafficFromFlags();

}  // namespace gcsflux::emulator
