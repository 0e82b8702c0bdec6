#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace gcsflux::internal {

/// "Fri, 20 Nov 2026 06:15:00 GMT" as a time: the form that RFC 9110 requires of servers. Nothing for any other form.
std::optional<std::chrono::system_clock::time_point> ParseHttpDate(std::string_view text);

}  // namespace gcsflux::internal
