#pragma once

#include <optional>
#include <string>

#include "case/case.h"

namespace gcsflux::conformance {

/// The first part of `got` that is not as wanted, such as `status: wanted 412, got 200`. Nothing if all are.
///
/// Placeholders in `want` are replaced already. The order is status, headers, JSON, XML, body.
std::optional<std::string> FindMismatch(const Expectation& want, const Response& got);

}  // namespace gcsflux::conformance
