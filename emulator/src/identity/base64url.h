#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// RFC 4648's alphabet for URLs, without padding, as JSON Web Tokens use it.
std::string EncodeBase64Url(std::string_view bytes);
/// Nothing if `text` is not exactly that.
std::optional<std::string> DecodeBase64Url(std::string_view text);

}  // namespace gcsflux::emulator
