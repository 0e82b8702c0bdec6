#pragma once

#include "http/http.h"
#include "run_cases/run_case.h"

namespace gcsflux::conformance {

/// Sends the request. After a 429, waits 1, 2, 4, 8 and 16 seconds and sends it again. Then the 429 is the answer.
OrError<Response> SendUnlessThrottled(const Service& service, const Request& request);

}  // namespace gcsflux::conformance
