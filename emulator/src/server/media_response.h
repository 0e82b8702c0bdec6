#pragma once

#include "server/http_message.h"
#include "store/object.h"

namespace gcsflux::emulator {

/// An object's bytes, as the request's Range and Accept-Encoding ask for them; or a 416.
HttpResponse MediaResponse(const Object& object, const HttpHeaders& request);

}  // namespace gcsflux::emulator
