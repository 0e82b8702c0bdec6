#pragma once

#include <optional>
#include <string>

#include "case/case.h"

namespace gcsflux::conformance {

/// Whether a wanted value is a matcher: an object with a key that begins with '$'.
bool IsMatcher(const Json& wanted);

/// What is wrong with a wanted value of a case file, with the matchers inside it. Nothing if it is well formed.
std::optional<std::string> FindMalformedMatcher(const Json& wanted);

/// Where and how `got` differs from `wanted`, such as `/items/0/name: wanted "a", got "b"`. Nothing if it matches.
///
/// An object matches if each wanted key matches. An array matches if it has as many elements and each matches, in
/// order. Everything else must be equal. `got` is null if there is no value at all.
std::optional<std::string> FindDifference(const Json& wanted, const Json* got);

}  // namespace gcsflux::conformance
