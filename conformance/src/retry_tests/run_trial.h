#pragma once

#include <string>

#include "retry_tests/trial.h"
#include "run_cases/run_case.h"

namespace gcsflux::conformance {

/// Runs one trial in the buckets `bucket` and `bucket`-new, which nothing else uses, and removes them.
///
/// It fails unless the call ends as the scenario expects, every instruction and rule has met a request, and the call
/// has had the expected effect: if it succeeds, exactly once. The SDK's client has its default options, except that it
/// waits only milliseconds between attempts. `access_token` is for the client; empty for anonymous.
Outcome RunTrial(const Trial& trial, const Service& service, const std::string& access_token,
                 const std::string& bucket);

}  // namespace gcsflux::conformance
