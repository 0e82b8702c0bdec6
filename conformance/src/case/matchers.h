#pragma once

#include <optional>
#include <string>

#include "case/case.h"

namespace gcsflux::conformance {

/// Whether a wanted value is a matcher, which is to say an object with a key that begins with '$'.
bool IsMatcher(const Json& wanted);

/// What is wrong with a wanted value, matchers inside it included, as a case file spells it; nothing when it is well
/// formed.
std::optional<std::string> FindMalformedMatcher(const Json& wanted);

/// Where and how `got` differs from `wanted`, such as `/items/0/name: wanted "a", got "b"`; nothing when it matches.
///
/// An object matches when each wanted key does, an array when it has as many elements and each matches in order, all
/// else when it is equal. `got` is null where there is no value at all.
std::optional<std::string> FindDifference(const Json& wanted, const Json* got);

}  // namespace gcsflux::conformance
