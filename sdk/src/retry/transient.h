#pragma once

#include "gcsflux/result.h"
#include "http/transport.h"

namespace gcsflux::internal {

/// True for failures that may not occur again if the same request is sent again:
/// https://cloud.google.com/storage/docs/retry-strategy and broken connections.
bool IsTransient(const Error& error);

/// True if a request with this failure may still have taken effect: its answer was lost, or the service failed during
/// it. After a refused connection or a refused request (429) it certainly has not.
bool IsAmbiguous(const Error& error);

/// True if a request with this outcome may have taken effect: unless it was refused, or never reached the service.
bool MayHaveTakenEffect(const Result<HttpResponse>& outcome);

}  // namespace gcsflux::internal
