#include "retry/backoff.h"

#include <algorithm>
#include <cmath>

namespace gcsflux::internal {

std::chrono::nanoseconds BackoffDelay(const RetryOptions& options, int failures, double random) {
  using Seconds = std::chrono::duration<double>;
  const double grown = Seconds(options.initial_delay).count() * std::pow(options.multiplier, failures - 1);
  const double bound = std::min(grown, Seconds(options.max_delay).count());  // Also where `grown` is infinite.
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Seconds(bound * random));
}

}  // namespace gcsflux::internal
