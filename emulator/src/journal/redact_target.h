#pragma once

#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// A request's target as it may be shown: without its origin, the values of all parameters but those that are known to
/// grant nothing replaced by REDACTED, and whatever is no printable ASCII percent-encoded.
std::string RedactTarget(std::string_view raw);

}  // namespace gcsflux::emulator
