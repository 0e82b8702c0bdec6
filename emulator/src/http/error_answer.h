#pragma once

#include "http/api_error.h"
#include "http/http_message.h"

namespace gcsflux::emulator {

/// An error in the shape of the XML API or of the JSON API.
HttpResponse ErrorAnswer(bool is_xml, const ApiError& error);

/// What the exception that is being handled means to a client: 503 if memory ran out, so that the client tries again,
/// else 500. The exception's text would tell a client nothing.
ApiError CaughtError();

}  // namespace gcsflux::emulator
