#pragma once

#include "gcsflux/options.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Returns kInvalidArgument with the member's name if one of them is out of its range.
Result<void> CheckRetryOptions(const RetryOptions& options);

}  // namespace gcsflux::internal
