#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// "1.5s", as Google's APIs write times: https://protobuf.dev/reference/protobuf/google.protobuf/#duration
std::string FormatSeconds(std::chrono::nanoseconds time);

/// Nothing where it is none, is negative, or is longer than 285 years.
std::optional<std::chrono::nanoseconds> ParseSeconds(std::string_view text);

}  // namespace gcsflux::emulator
