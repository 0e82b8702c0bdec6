#pragma once

#include <optional>
#include <string>

#include "case/case.h"

namespace gcsflux::conformance {

/// The first part of `got` that is not as wanted, as in `status: wanted 412, got 200`; nothing when all is.
///
/// Placeholders in `want` are already filled in. Parts are looked at in the order status, headers, JSON, XML, body.
std::optional<std::string> FindMismatch(const Expectation& want, const Response& got);

}  // namespace gcsflux::conformance
