#pragma once

#include <string>

#include "http/http_message.h"

namespace gcsflux::emulator {

/// 200 with a JSON document, which no cache may keep.
HttpResponse JsonResponse(std::string json);

}  // namespace gcsflux::emulator
