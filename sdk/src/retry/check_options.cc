#include "retry/check_options.h"

namespace gcsflux::internal {

Result<void> CheckRetryOptions(const RetryOptions& options) {
  const auto refuse = [](const char* why) { return Error{ErrorCode::kInvalidArgument, why}; };
  if (options.initial_delay.count() < 0 || options.max_delay.count() < 0) return refuse("a retry delay is negative");
  if (!(options.multiplier >= 1.0)) return refuse("RetryOptions::multiplier must be at least 1");
  if (options.deadline.count() < 0) return refuse("RetryOptions::deadline is negative");
  if (options.max_attempts < 1) return refuse("RetryOptions::max_attempts must be at least 1");
  if (!(options.budget >= 0)) return refuse("RetryOptions::budget is negative");
  return {};
}

}  // namespace gcsflux::internal
