#pragma once

#include <string>
#include <vector>

#include "base/or_error.h"
#include "case/case.h"

namespace gcsflux::conformance {

/// The cases built into the program. Fails only if one of the built-in files is malformed.
OrError<std::vector<Case>> LoadEmbeddedCases();

/// The cases of one file, or of all .json files in and below a directory, ordered by path.
OrError<std::vector<Case>> LoadCases(const std::string& path);

}  // namespace gcsflux::conformance
