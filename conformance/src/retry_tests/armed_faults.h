#pragma once

#include <string>
#include <tl/expected.hpp>

#include "retry_tests/scenario.h"
#include "run_cases/run_case.h"

namespace gcsflux::conformance {

/// The faults for the requests of one trial: a test of the Retry Test API, a fault plan, or both.
struct ArmedFaults {
  std::string test_id = {};      ///< For the header x-retry-test-id. Empty if the case has no instructions.
  bool has_plan = false;         ///< It replaces the service's own plan.
  bool has_idempotency = false;  ///< Likewise: how long the service remembers its first answers.
};

/// An error is the trial's outcome: skipped if the service does not know an instruction, or accepts no fault plans.
tl::expected<ArmedFaults, Outcome> Arm(const Service& service, const std::string& method, const RetryCase& faults);

/// The instructions and rules that no request has met. Empty if all were met.
OrError<std::string> WhatDidNotHappen(const Service& service, const ArmedFaults& armed);

/// Ends the test and the plan.
OrError<void> Disarm(const Service& service, const ArmedFaults& armed);

}  // namespace gcsflux::conformance
