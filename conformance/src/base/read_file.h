#pragma once

#include <filesystem>
#include <string>

#include "base/or_error.h"

namespace gcsflux::conformance {

/// Reads a whole file. An empty file is an error too.
OrError<std::string> ReadFile(const std::filesystem::path& path);

}  // namespace gcsflux::conformance
