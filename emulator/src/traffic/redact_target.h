#pragma once

#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// A request's target as it may be shown: without its origin, the values of parameters that grant something (upload
/// ids, tokens, signatures, keys) replaced by REDACTED, and whatever is no printable ASCII percent-encoded.
std::string RedactTarget(std::string_view raw);

}  // namespace gcsflux::emulator
