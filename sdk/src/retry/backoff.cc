#include "retry/backoff.h"

#include <algorithm>
#include <cmath>

#include "base/process/no_time_limit.h"

namespace gcsflux::internal {

std::chrono::nanoseconds BackoffDelay(const RetryOptions& options, int failures, double random) {
  using Seconds = std::chrono::duration<double>;
  const double initial = Seconds(options.initial_delay).count();
  const double most = Seconds(options.max_delay).count();
  // min() also handles an infinite product; 0 never grows.
  const double bound = initial > 0 ? std::min(initial * std::pow(options.multiplier, failures - 1), most) : 0;
  const double delay = bound * (1 - options.jitter * (1 - random));
  return std::min(InNanoseconds(Seconds(delay)), kNoTimeLimit / 2);  // A call without a deadline ends later.
}

}  // namespace gcsflux::internal
