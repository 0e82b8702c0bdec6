#pragma once

#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// A request's target in a form that may be shown. It has no origin. Parameters keep their values only if they are
/// known to grant nothing; else REDACTED replaces the value. Everything that is not printable ASCII is percent-encoded.
std::string RedactTarget(std::string_view raw);

}  // namespace gcsflux::emulator
