#pragma once

#include "server/api_error.h"
#include "server/http_message.h"
#include "server/traffic/request_preview.h"

namespace gcsflux::emulator {

/// An error in the shape of the API that the request belongs to.
HttpResponse ErrorAnswer(const RequestPreview& preview, const ApiError& error);

}  // namespace gcsflux::emulator
