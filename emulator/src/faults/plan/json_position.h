#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "faults/plan/plan_error.h"

namespace gcsflux::emulator {

/// "line 3, column 7", both from 1, of the byte `at`, which may be the end.
std::string PositionOf(std::string_view text, std::size_t at);

/// Where the value begins that is at `path`, or the nearest one around it. `json` must be well-formed.
std::size_t FindValue(std::string_view json, const JsonPath& path);

/// The path to the value at `at`, which stands in `json`. Up to there it must be well-formed; names are as they are
/// written.
JsonPath PathTo(std::string_view json, std::size_t at);

/// Where a member's name begins that its object has twice; nothing where there is none. `json` must be well-formed.
std::optional<std::size_t> FindRepeatedName(std::string_view json);

}  // namespace gcsflux::emulator
