#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// "1.5s": Google's APIs write times so, https://protobuf.dev/reference/protobuf/google.protobuf/#duration
std::string FormatSeconds(std::chrono::nanoseconds time);

/// Nothing if it is not such a text, is negative, or is longer than 285 years.
std::optional<std::chrono::nanoseconds> ParseSeconds(std::string_view text);

}  // namespace gcsflux::emulator
