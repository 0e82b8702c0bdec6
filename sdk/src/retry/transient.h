#pragma once

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// True for failures that may pass when the same request is sent again:
/// https://cloud.google.com/storage/docs/retry-strategy and broken connections.
bool IsTransient(const Error& error);

/// True where a request that failed so may have taken effect all the same: its answer was lost, or the service gave
/// up half-way. A refused connection and a refused request (429) are certain.
bool IsAmbiguous(const Error& error);

}  // namespace gcsflux::internal
