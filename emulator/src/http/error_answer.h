#pragma once

#include "http/api_error.h"
#include "http/http_message.h"

namespace gcsflux::emulator {

/// An error in the shape of the XML API or of the JSON API.
HttpResponse ErrorAnswer(bool is_xml, const ApiError& error);

}  // namespace gcsflux::emulator
