#pragma once

#include "gcsflux/result.h"
#include "gcsflux/retry_options.h"

namespace gcsflux::internal {

/// Returns kInvalidArgument with the member's name if one of them is out of its range.
Result<void> CheckRetryOptions(const RetryOptions& options);

}  // namespace gcsflux::internal
