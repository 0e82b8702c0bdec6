#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/bytes/md5.h"

namespace gcsflux::emulator {

/// Base64 of the four bytes, the highest first. GCS writes a CRC32C so.
std::string EncodeCrc32c(std::uint32_t crc32c);
std::optional<std::uint32_t> DecodeCrc32c(std::string_view text);

/// Base64 of the sixteen bytes.
std::string EncodeMd5(const Md5Digest& digest);
std::optional<Md5Digest> DecodeMd5(std::string_view text);

}  // namespace gcsflux::emulator
