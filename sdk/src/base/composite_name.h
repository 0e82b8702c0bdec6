#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/composite_prefix.h"

namespace gcsflux::internal {

/// The common part of the names of all composites of one program run: its start time and a unique text.
/// "20261120T061500Z-1b4e28ba", with the beginning of a UUID.
std::string FormatRun(std::chrono::system_clock::time_point start, std::string_view uuid);

/// "dataflux-composed-objects/RUN/UUID".
std::string CompositeName(std::string_view run, std::string_view uuid);

}  // namespace gcsflux::internal
