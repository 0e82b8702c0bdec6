#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gcsflux::bench {

/// By ISA-L, as fast as the SDK's own: for baselines that verify their reads.
std::uint32_t ExtendCrc32c(std::uint32_t crc32c, std::string_view data);
inline std::uint32_t Crc32c(std::string_view data) { return ExtendCrc32c(0, data); }

/// In the form of the header x-goog-hash.
std::string Crc32cBase64(std::uint32_t crc32c);

}  // namespace gcsflux::bench
