#pragma once

#include <string>
#include <string_view>

#include "http/api_error.h"

namespace gcsflux::emulator {

/// A whole answer, as it goes over the wire, to what never became a request; behind it the connection is closed.
/// `status` as in "408 Request Timeout".
std::string RenderRefusal(std::string_view status, const ApiError& error);

}  // namespace gcsflux::emulator
