#pragma once

#include "gcsflux/options.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// What --max_undelivered_bytes says.
Result<void> SetUndeliveredBytesFromFlags(ClientOptions& options);

}  // namespace gcsflux::internal
