#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// An object's custom time as it is stored, in one form, so that the texts compare like the times. Nothing if `text` is
/// not an RFC 3339 time between the years 1700 and 2261.
std::optional<std::string> ReadCustomTime(std::string_view text);

/// The form that is shown: a fraction only if it is not zero, of 3, 6 or 9 digits (unverified).
std::string ShowCustomTime(std::string_view kept);

}  // namespace gcsflux::emulator
