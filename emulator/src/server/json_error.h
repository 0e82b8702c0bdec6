#pragma once

#include "server/api_error.h"
#include "server/http_message.h"

namespace gcsflux::emulator {

/// {"error": {"code": N, "message": "...", "errors": [{"domain": "global", "reason": "...", "message": "..."}]}}
HttpResponse ErrorResponse(const ApiError& error);

}  // namespace gcsflux::emulator
