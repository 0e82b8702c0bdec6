#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "faults/plan/plan_error.h"

namespace gcsflux::emulator {

/// "line 3, column 7", both from 1, for the byte `at`, which may be the end.
std::string PositionOf(std::string_view text, std::size_t at);

/// The beginning of the value at `path`, or of the nearest one around it. `json` must be well-formed.
std::size_t FindValue(std::string_view json, const JsonPath& path);

/// The path to the value at `at` in `json`, which must be well-formed up to there. Names are as they are written.
JsonPath PathTo(std::string_view json, std::size_t at);

/// The beginning of a member's name that its object has twice. Nothing if there is none. `json` must be well-formed.
std::optional<std::size_t> FindRepeatedName(std::string_view json);

}  // namespace gcsflux::emulator
