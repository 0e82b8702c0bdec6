#include "retry/backoff.h"

#include <algorithm>
#include <cmath>

#include "base/process/no_time_limit.h"

namespace gcsflux::internal {

using namespace std::chrono_literals;

std::chrono::nanoseconds BackoffDelay(const RetryOptions& options, int failures, double random,
                                      std::chrono::nanoseconds last) {
  using Seconds = std::chrono::duration<double>;
  const double initial = Seconds(options.initial_delay).count();
  const double most = Seconds(options.max_delay).count();
  // min() also handles an infinite product; 0 never grows.
  const double bound = initial > 0 ? std::min(initial * std::pow(options.multiplier, failures - 1), most) : 0;
  double delay = bound;
  switch (options.jitter) {
    case Jitter::kFull: delay = bound * random; break;
    case Jitter::kEqual: delay = bound * (1 + random) / 2; break;
    case Jitter::kDecorrelated: {
      const double high = std::max(initial, 3 * Seconds(last).count());
      delay = std::min(most, initial + (high - initial) * random);
      break;
    }
    case Jitter::kNone: break;
  }
  return std::min(InNanoseconds(Seconds(delay)), kNoTimeLimit / 2);  // A call without a deadline ends later.
}

RetryOptions ThrottledBackoff(ThrottlePolicy policy) {
  switch (policy) {
    case ThrottlePolicy::kFullJitter: return {.initial_delay = 1s, .max_delay = 32s, .jitter = Jitter::kFull};
    case ThrottlePolicy::kDecorrelated: return {.initial_delay = 1s, .max_delay = 32s, .jitter = Jitter::kDecorrelated};
    case ThrottlePolicy::kMultiplier:
      return {.initial_delay = 1s, .multiplier = 1.2, .max_delay = 45s, .jitter = Jitter::kNone};
    case ThrottlePolicy::kGate:
    case ThrottlePolicy::kNone: break;
  }
  return {.initial_delay = 10ms, .multiplier = 1, .max_delay = 10ms, .jitter = Jitter::kNone};
}

}  // namespace gcsflux::internal
