#pragma once

#include <string>

#include "case/case.h"
#include "read_cases/fields.h"

namespace gcsflux::conformance {

/// One step of a case file. If anything is wrong with it, that is noted in `problem`, and the step must not be used.
Step ParseStep(const Json& step, const std::string& path, Problem& problem);

}  // namespace gcsflux::conformance
