#pragma once

#include <chrono>

#include "gcsflux/options.h"

namespace gcsflux::internal {

/// The wait after `failures` failures in a row (1 or more): full jitter, that is `random` (uniform in [0, 1)) of
/// min(max_delay, initial_delay * multiplier^(failures - 1)). Never overflows.
std::chrono::nanoseconds BackoffDelay(const RetryOptions& options, int failures, double random);

}  // namespace gcsflux::internal
