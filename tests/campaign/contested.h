#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/object.h"

namespace gcsflux::campaign {

// Names that every worker writes and reads. No worker knows the current version, but each version identifies itself, so
// that a mixture of two is detected.

std::vector<ObjectName> ContestedNames(const std::string& bucket);

/// A version that begins with its seed.
std::string MakeContested(std::uint64_t seed, std::size_t size);

/// Throws Violation if the bytes are not exactly one whole version.
void CheckContested(const ObjectName& object, std::string_view bytes);

}  // namespace gcsflux::campaign
