#pragma once

#include <string>
#include <string_view>

#include "http/api_error.h"

namespace gcsflux::emulator {

/// A complete answer, as bytes, to something that never became a request. The connection is closed after it. `status`
/// is like "408 Request Timeout".
std::string RenderRefusal(std::string_view status, const ApiError& error);

}  // namespace gcsflux::emulator
