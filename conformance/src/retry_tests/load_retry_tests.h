#pragma once

#include <string>
#include <vector>

#include "base/or_error.h"
#include "run_cases/suite.h"

namespace gcsflux::conformance {

/// The scenarios of a file, to run through the SDK: each case for each method and call. docs/emulator/retry_tests.md
OrError<std::vector<Check>> LoadRetryTests(const std::string& path, const std::string& access_token);

}  // namespace gcsflux::conformance
