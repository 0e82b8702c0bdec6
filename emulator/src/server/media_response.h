#pragma once

#include "server/api_error.h"
#include "server/http_message.h"
#include "store/object.h"

namespace gcsflux::emulator {

/// An object's bytes, as the request's Range and Accept-Encoding ask for them. 416 where the range begins at or past
/// the end.
ApiResult<HttpResponse> MediaResponse(const Object& object, const HttpHeaders& request);

}  // namespace gcsflux::emulator
