#include "retry/backoff.h"

#include <algorithm>
#include <cmath>

namespace gcsflux::internal {

using namespace std::chrono_literals;

std::chrono::nanoseconds BackoffDelay(const RetryOptions& options, int failures, double random,
                                      std::chrono::nanoseconds last) {
  using Seconds = std::chrono::duration<double>;
  const double initial = Seconds(options.initial_delay).count();
  const double most = Seconds(options.max_delay).count();
  // min() also where what has grown is infinite.
  const double bound = std::min(initial * std::pow(options.multiplier, failures - 1), most);
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
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Seconds(delay));
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
