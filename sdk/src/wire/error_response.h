#pragma once

#include "gcsflux/result.h"
#include "http/transport.h"

namespace gcsflux::internal {

/// The error in an answer with a status of 300 or more: its code, and a message with status, reason and the service's
/// text (at most 256 bytes of an answer that is not JSON).
Error ErrorFromResponse(const HttpResponse& response);

}  // namespace gcsflux::internal
