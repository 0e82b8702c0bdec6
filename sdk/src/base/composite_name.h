#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/composite_prefix.h"

namespace gcsflux::internal {

/// What all composites of one run of a program have in common: when it began, and something that no other has.
/// "20261120T061500Z-1b4e28ba", from a UUID of which the beginning is used.
std::string FormatRun(std::chrono::system_clock::time_point start, std::string_view uuid);

/// "dataflux-composed-objects/RUN/UUID".
std::string CompositeName(std::string_view run, std::string_view uuid);

}  // namespace gcsflux::internal
