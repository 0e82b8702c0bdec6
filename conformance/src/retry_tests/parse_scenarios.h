#pragma once

#include <string_view>
#include <vector>

#include "base/or_error.h"
#include "retry_tests/scenario.h"

namespace gcsflux::conformance {

/// The scenarios of a file in the schema of Google's retry_tests.json, in their order. `file` is its name.
///
/// Unknown fields are ignored, and so is everything that only the service can judge (methods, instructions, resources),
/// so that files of later versions can be read. As in all JSON made from protocol buffers, an absent field is false or
/// empty. If the file does not follow the schema, all of it is refused. The error names the file and the place.
OrError<std::vector<RetryScenario>> ParseScenarios(std::string_view file, std::string_view text);

}  // namespace gcsflux::conformance
