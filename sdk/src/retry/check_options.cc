#include "retry/check_options.h"

#include "base/option_range.h"

namespace gcsflux::internal {

Result<void> CheckRetryOptions(const RetryOptions& options) {
  const auto refuse = [](const char* why) { return Error{ErrorCode::kInvalidArgument, why}; };
  if (options.initial_delay.count() < 0 || options.max_delay.count() < 0) return refuse("a retry delay is negative");
  if (options.deadline.count() < 0) return refuse("RetryOptions::deadline is negative");
  return CheckRanges({{"RetryOptions::multiplier", RangeOf("retry_multiplier"), options.multiplier},
                      {"RetryOptions::jitter", RangeOf("retry_jitter"), options.jitter},
                      {"RetryOptions::max_attempts", RangeOf("retry_max_attempts"), options.max_attempts},
                      {"RetryOptions::budget", RangeOf("retry_budget"), options.budget}});
}

}  // namespace gcsflux::internal
