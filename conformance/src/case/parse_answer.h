#pragma once

#include <string>

#include "case/case.h"

namespace gcsflux::conformance {

/// The JSON of an answer's body. If it is none, or holds a zero byte, the value says is_discarded().
Json ParseAnswer(const std::string& body);

}  // namespace gcsflux::conformance
