#pragma once

#include "gcsflux/options.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Sets the listeners from --log_level and --trace_file. The trace is opened once, and shared.
Result<void> SetEventListenerFromFlags(ClientOptions& options);

}  // namespace gcsflux::internal
