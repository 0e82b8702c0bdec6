#pragma once

#include "gcsflux/emulator/faults.h"
#include "http/http_message.h"

namespace gcsflux::emulator {

/// The action's status, body, content type and Retry-After. If it has no body, the answer has the body of that API's
/// error with that status.
HttpResponse StatusResponse(const FaultAction& action, bool is_xml);

/// Whether HTTP allows a body with that status.
bool MayHaveBody(std::uint64_t status);

}  // namespace gcsflux::emulator
