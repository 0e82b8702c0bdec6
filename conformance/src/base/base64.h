#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::conformance {

/// The bytes of standard base64, padding included; nothing where it is none, or empty.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace gcsflux::conformance
