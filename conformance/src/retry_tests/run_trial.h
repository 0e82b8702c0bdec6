#pragma once

#include <string>

#include "retry_tests/trial.h"
#include "run_cases/run_case.h"

namespace gcsflux::conformance {

/// Runs one trial in the bucket `bucket` and in `bucket`-new, which nothing else uses, and removes them.
///
/// It fails unless the call ends as the scenario expects, every instruction and rule has met a request, and the call
/// has had the effect that is expected: of one that succeeds, just once what it says. The SDK's client is as everybody
/// has it, but that it waits for milliseconds between attempts; `access_token` is for it, empty for anonymous.
Outcome RunTrial(const Trial& trial, const Service& service, const std::string& access_token,
                 const std::string& bucket);

}  // namespace gcsflux::conformance
