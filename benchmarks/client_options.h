#pragma once

#include <string>

#include "gcsflux/options.h"

namespace gcsflux::bench {

/// The options of gcsflux's flags on the program's line, at `endpoint`. A benchmark adds its own settings.
ClientOptions OptionsAt(const std::string& endpoint);

}  // namespace gcsflux::bench
