#pragma once

#include "gcsflux/options.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Fills in who listens: what --log_level and --trace_file ask for. The trace is opened once, and shared.
Result<void> SetEventListenerFromFlags(ClientOptions& options);

}  // namespace gcsflux::internal
