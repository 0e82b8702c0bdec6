#pragma once

#include <string>

#include "base/time_source.h"

namespace gcsflux::emulator {

/// "2026-11-20T06:25:00.123Z", as in JSON.
std::string FormatRfc3339(Time time);

/// "Fri, 20 Nov 2026 06:25:00 GMT", as in a header.
std::string FormatHttpDate(Time time);

}  // namespace gcsflux::emulator
