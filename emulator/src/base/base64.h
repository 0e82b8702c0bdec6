#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// RFC 4648's standard alphabet, with padding.
std::string EncodeBase64(std::string_view bytes);
std::string EncodeBase64(std::span<const std::byte> bytes);
/// Nothing if `text` is not exactly that.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace gcsflux::emulator
