#pragma once

#include <chrono>

#include "gcsflux/options.h"

namespace gcsflux::internal {

/// The wait after `failures` failures in a row (1 or more); `random` is uniform in [0, 1). Never overflows.
std::chrono::nanoseconds BackoffDelay(const RetryOptions& options, int failures, double random);

}  // namespace gcsflux::internal
