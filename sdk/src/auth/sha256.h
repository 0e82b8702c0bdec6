#pragma once

#include <string>
#include <string_view>

namespace gcsflux::internal {

/// In lower-case hexadecimal; empty where OpenSSL fails.
std::string Sha256Hex(std::string_view bytes);

}  // namespace gcsflux::internal
