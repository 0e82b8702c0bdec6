#pragma once

#include <vector>

#include "run_cases/run_case.h"

namespace gcsflux::conformance {

/// Sends the requests at the same time, each on a connection and a thread of its own. The answers are in the order of
/// the requests. A request that is throttled is sent again later. If one has no answer, returns its error.
OrError<std::vector<Response>> SendAtOnce(const Service& service, const std::vector<Request>& requests);

}  // namespace gcsflux::conformance
