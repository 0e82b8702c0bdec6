#pragma once

#include <string>
#include <string_view>

#include "case/case.h"

namespace gcsflux::conformance {

/// At most 256 bytes of `text` in quotes, control characters escaped, broken UTF-8 replaced, and how long it was when
/// cut.
std::string Excerpt(std::string_view text);

/// A string as above; any other value as JSON on one line, cut at 256 bytes.
std::string Excerpt(const Json& value);

/// `text` without `token` (when not empty) and without the ids of upload sessions, which let their holder write.
std::string Redact(std::string text, std::string_view token);

}  // namespace gcsflux::conformance
