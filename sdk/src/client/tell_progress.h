#pragma once

#include "gcsflux/operation_options.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Calls the callback, where there is one. What it throws is kLocalIo: it must not end a thread of ours.
Result<void> TellProgress(const ProgressCallback& on_progress, const Progress& progress);

}  // namespace gcsflux::internal
