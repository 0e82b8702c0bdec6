#pragma once

#include <string>
#include <tl/expected.hpp>

#include "retry_tests/scenario.h"
#include "run_cases/run_case.h"

namespace gcsflux::conformance {

/// What the service is told to do to the requests of one trial: a test of the Retry Test API, a fault plan, or both.
struct ArmedFaults {
  std::string test_id = {};      ///< For the header x-retry-test-id; empty where the case has no instructions.
  bool has_plan = false;         ///< It takes the place of the service's own.
  bool has_idempotency = false;  ///< Likewise: how long the service remembers its first answers.
};

/// The error is the trial's outcome: skipped where the service does not know an instruction, or takes no fault plans.
tl::expected<ArmedFaults, Outcome> Arm(const Service& service, const std::string& method, const RetryCase& faults);

/// The instructions and rules that no request has met; empty where all were.
OrError<std::string> WhatDidNotHappen(const Service& service, const ArmedFaults& armed);

/// Ends the test, and the plan.
OrError<void> Disarm(const Service& service, const ArmedFaults& armed);

}  // namespace gcsflux::conformance
