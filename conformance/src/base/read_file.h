#pragma once

#include <filesystem>
#include <string>

#include "base/or_error.h"

namespace gcsflux::conformance {

/// A whole file; one that is empty is an error too.
OrError<std::string> ReadFile(const std::filesystem::path& path);

}  // namespace gcsflux::conformance
