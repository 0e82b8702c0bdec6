#pragma once

#include "gcsflux/result.h"
#include "http/transport.h"

namespace gcsflux::internal {

/// What an answer with a status of 300 or more means: its code, and a message that holds status, reason and the
/// service's own words (at most 256 bytes of what is no JSON).
Error ErrorFromResponse(const HttpResponse& response);

}  // namespace gcsflux::internal
