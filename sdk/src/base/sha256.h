#pragma once

#include <string>
#include <string_view>

namespace gcsflux::internal {

/// The 32 bytes of the SHA-256 of `bytes`.
std::string Sha256(std::string_view bytes);

/// The same in lower-case hexadecimal.
std::string Sha256Hex(std::string_view bytes);

}  // namespace gcsflux::internal
