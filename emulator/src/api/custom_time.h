#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// An object's custom time as it is kept, all in one form so that the texts compare as the times do; nothing where
/// `text` is no RFC 3339 time between the years 1700 and 2261.
std::optional<std::string> ReadCustomTime(std::string_view text);

/// What is kept as it is shown: a fraction only where there is one, of 3, 6 or 9 digits (unverified).
std::string ShowCustomTime(std::string_view kept);

}  // namespace gcsflux::emulator
