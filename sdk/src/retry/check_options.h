#pragma once

#include "gcsflux/result.h"
#include "gcsflux/retry_options.h"

namespace gcsflux::internal {

/// kInvalidArgument, with the member's name, where one of them is out of its range.
Result<void> CheckRetryOptions(const RetryOptions& options);

}  // namespace gcsflux::internal
