#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::internal {

/// "2026-11-20T06:15:00.123Z" as a time; nothing where it is not of that form. Offsets other than Z are not taken: GCS
/// writes UTC. One beyond the clock's years (1677 to 2262) is the first or the last of them.
std::optional<std::chrono::system_clock::time_point> ParseRfc3339(std::string_view text);

/// The same form, with milliseconds, which are as fine as GCS keeps.
std::string FormatRfc3339(std::chrono::system_clock::time_point time);

}  // namespace gcsflux::internal
