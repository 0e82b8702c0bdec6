#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::internal {

/// RFC 4648 with padding, as GCS writes hashes.
std::string Base64Encode(std::string_view bytes);
/// Nothing if `text` is not base64.
std::optional<std::string> Base64Decode(std::string_view text);

/// A CRC32C as GCS writes it: base64 of its four bytes, big-endian.
std::string Crc32cToBase64(std::uint32_t crc);
std::optional<std::uint32_t> Crc32cFromBase64(std::string_view text);

}  // namespace gcsflux::internal
