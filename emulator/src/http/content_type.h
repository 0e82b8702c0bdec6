#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// Whether a Content-Type is of that type, parameters aside. The type in lower case.
bool IsOfType(std::string_view content_type, std::string_view lower_case_type);

/// The value of a Content-Type's parameter, without its double quotes; nothing where it is absent or empty. The name in
/// lower case; clients write it in any.
std::optional<std::string> TypeParameter(std::string_view content_type, std::string_view lower_case_name);

}  // namespace gcsflux::emulator
