#pragma once

#include <optional>
#include <string_view>

#include "base/time_source.h"

namespace gcsflux::emulator {

/// "2026-11-20T06:25:00.123456Z", or with an offset, "+02:00", in place of the Z. Nothing if it is no such time, or if
/// the clock cannot represent it.
std::optional<Time> ParseRfc3339(std::string_view text);

/// "Fri, 20 Nov 2026 06:25:00 GMT". Nothing if it has another form.
std::optional<Time> ParseHttpDate(std::string_view text);

}  // namespace gcsflux::emulator
