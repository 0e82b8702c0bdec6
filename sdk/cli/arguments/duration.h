#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "gcsflux/result.h"

namespace gcsflux::cli {

/// "30s", "10m", "1h", "2d" or "1h30m": whole numbers with their units. Returns kInvalidArgument for any other text,
/// and for more than a hundred years.
Result<std::chrono::seconds> ParseDuration(std::string_view text);

/// The same of a flag's value; the error names the flag.
Result<std::chrono::seconds> DurationOfFlag(const std::string& flag, std::string_view text);

}  // namespace gcsflux::cli
