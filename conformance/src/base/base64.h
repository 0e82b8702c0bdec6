#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::conformance {

/// Decodes standard base64 with padding. Nothing if the text is not that, or is empty.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace gcsflux::conformance
