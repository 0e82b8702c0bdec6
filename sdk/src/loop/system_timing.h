#pragma once

#include <memory>

#include "base/timing.h"

namespace gcsflux::internal {

/// The real clock, and random numbers seeded by the operating system. A fiber that waits is suspended.
std::unique_ptr<Timing> SystemTiming();

}  // namespace gcsflux::internal
