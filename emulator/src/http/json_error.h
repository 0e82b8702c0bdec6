#pragma once

#include <string_view>

#include "http/api_error.h"
#include "http/http_message.h"

namespace gcsflux::emulator {

/// {"error": {"code": N, "message": "...", "errors": [{"domain": "global", "reason": "...", "message": "..."}]}}
HttpResponse ErrorResponse(const ApiError& error);

/// Why a request's body is not a JSON object, or is too much of one.
ApiError NotJsonObject(std::string_view body);

}  // namespace gcsflux::emulator
