#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// Whether a Content-Type has that type, whatever its parameters. `type` is in lower case.
bool IsOfType(std::string_view content_type, std::string_view lower_case_type);

/// The value of a Content-Type's parameter, without its double quotes. Nothing if it is absent or empty. The name is in
/// lower case; clients may write it in any case.
std::optional<std::string> TypeParameter(std::string_view content_type, std::string_view lower_case_name);

}  // namespace gcsflux::emulator
