#pragma once

#include "bodies/peeked_body.h"
#include "http/http_message.h"
#include "middleware/request_preview.h"
#include "store/uploads/resumable_sessions.h"

namespace gcsflux::emulator {

/// Looks at the beginning of the body if only that names the object.
RequestPreview PreviewRequest(const HttpRequest& request, PeekedBody& body, ResumableSessions& sessions);

}  // namespace gcsflux::emulator
