#pragma once

#include <string>
#include <string_view>

#include "case/case.h"

namespace gcsflux::conformance {

/// At most 256 bytes of `text` in quotes, with control characters escaped and broken UTF-8 replaced. If it was cut, its
/// length follows.
std::string Excerpt(std::string_view text);

/// A string as above; any other value as JSON on one line, cut at 256 bytes.
std::string Excerpt(const Json& value);

/// `text` without `token` (if that is not empty), and without what allows to read or write: the ids of upload sessions,
/// signatures of URLs, secrets of HMAC keys, bearer tokens.
std::string Redact(std::string text, std::string_view token);

}  // namespace gcsflux::conformance
