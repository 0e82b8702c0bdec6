#pragma once

#include <string>

#include "base/timing.h"

namespace gcsflux::internal {

/// A new UUID (RFC 4122, version 4), from the timing's random numbers.
std::string NewUuid(const Timing& timing);

}  // namespace gcsflux::internal
