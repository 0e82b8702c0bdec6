#pragma once

#include "gcsflux/emulator/faults.h"
#include "http/http_message.h"

namespace gcsflux::emulator {

/// The action's status, body, content type and Retry-After. Without a body, the one that the API in question gives with
/// that status.
HttpResponse StatusResponse(const FaultAction& action, bool is_xml);

/// Whether HTTP lets an answer of that status have a body.
bool MayHaveBody(std::uint64_t status);

}  // namespace gcsflux::emulator
