#pragma once

#include <chrono>

#include "gcsflux/options.h"

namespace gcsflux::internal {

/// The wait after `failures` failures in a row (1 or more); `random` is uniform in [0, 1). Decorrelated jitter grows
/// from the previous wait, `last`, which is 0 after the first failure. Never overflows.
std::chrono::nanoseconds BackoffDelay(const RetryOptions& options, int failures, double random,
                                      std::chrono::nanoseconds last = std::chrono::nanoseconds(0));

/// The waits of a throttled request without a gate; only its delays are used. `policy` is not kGate.
RetryOptions ThrottledBackoff(ThrottlePolicy policy);

}  // namespace gcsflux::internal
