#pragma once

#include "http/http_message.h"
#include "operations/request_subject.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

/// The bytes of an object that the request's Range and Accept-Encoding ask for, or a 416. Says in `subject` which
/// stored bytes they are.
HttpResponse MediaResponse(const Object& object, const HttpHeaders& request, RequestSubject& subject);

}  // namespace gcsflux::emulator
