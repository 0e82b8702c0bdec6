#pragma once

#include <string>

#include "gcsflux/options.h"

namespace gcsflux::bench {

/// What gcsflux's flags on the program's line ask for, at `endpoint`. A benchmark sets on top of it what it is about.
ClientOptions OptionsAt(const std::string& endpoint);

}  // namespace gcsflux::bench
