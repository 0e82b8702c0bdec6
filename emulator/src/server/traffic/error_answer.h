#pragma once

#include <cstdint>
#include <optional>

#include "server/api_error.h"
#include "server/http_message.h"
#include "server/traffic/request_preview.h"

namespace gcsflux::emulator {

/// An error in the shape of the API that the request belongs to.
HttpResponse ErrorAnswer(const RequestPreview& preview, const ApiError& error);

/// How long the answer's body is; nothing where that is not known before it is written.
std::optional<std::uint64_t> BodySize(const HttpResponse& response);

}  // namespace gcsflux::emulator
