#pragma once

#include <string>

#include "case/case.h"
#include "read_cases/fields.h"

namespace gcsflux::conformance {

/// One step of a case file. What is wrong with it is noted in `problem`, and the step is then of no use.
Step ParseStep(const Json& step, const std::string& path, Problem& problem);

}  // namespace gcsflux::conformance
