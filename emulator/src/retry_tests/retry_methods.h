#pragma once

#include <string_view>

#include "operations/request_subject.h"

namespace gcsflux::emulator {

/// Whether a retry test may have instructions for the method: "storage.objects.get", say.
bool IsRetryMethod(std::string_view method);

/// The method as which a request counts, which may be one that no test knows. Everything that makes an object counts
/// as its insert, the requests of a session and of an upload in parts among them, but for their end.
std::string_view RetryMethodOf(const RequestSubject& subject);

}  // namespace gcsflux::emulator
