#pragma once

#include <string_view>

#include "http/http_message.h"
#include "operations/request_subject.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

/// The bytes of an object that the request's Range and Accept-Encoding ask for, or a 416. An If-Range with another tag
/// than `etag` asks for the whole object. Says in `subject` which stored bytes they are.
HttpResponse MediaResponse(const Object& object, const HttpHeaders& request, std::string_view etag,
                           RequestSubject& subject);

}  // namespace gcsflux::emulator
