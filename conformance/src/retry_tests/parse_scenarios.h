#pragma once

#include <string_view>
#include <vector>

#include "base/or_error.h"
#include "retry_tests/scenario.h"

namespace gcsflux::conformance {

/// The scenarios of a file in the schema of Google's retry_tests.json, in their order. `file` is its name.
///
/// Fields that are not known are left alone, as is what only the service can judge (methods, instructions, resources),
/// so that files of later versions can be read. As everywhere in JSON made from protocol buffers, what is absent is
/// false or empty. A file that is not of the schema is refused as a whole; the error names the file and the place.
OrError<std::vector<RetryScenario>> ParseScenarios(std::string_view file, std::string_view text);

}  // namespace gcsflux::conformance
