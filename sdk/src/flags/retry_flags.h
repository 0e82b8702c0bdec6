#pragma once

#include "gcsflux/options.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Sets the options for failures from the flags: the retry policies (--list_retry_..., --download_retry_...,
/// --upload_retry_... and --metadata_retry_...), --throttle_policy, --idempotency and --hedge_....
Result<void> SetRetriesFromFlags(ClientOptions& options);

}  // namespace gcsflux::internal
