#pragma once

#include "gcsflux/options.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// The value of --max_undelivered_bytes.
Result<void> SetUndeliveredBytesFromFlags(ClientOptions& options);

}  // namespace gcsflux::internal
