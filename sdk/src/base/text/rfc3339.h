#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::internal {

/// "2026-11-20T06:15:00.123Z" as a time. Nothing if the form is different. Only the offset Z is accepted: GCS writes
/// UTC. A time beyond the clock's years (1677 to 2262) becomes the first or the last time of the clock.
std::optional<std::chrono::system_clock::time_point> ParseRfc3339(std::string_view text);

/// The same form, with milliseconds, which is GCS's precision.
std::string FormatRfc3339(std::chrono::system_clock::time_point time);

}  // namespace gcsflux::internal
