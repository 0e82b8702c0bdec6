#pragma once

#include <string_view>

#include "json_api/router.h"

namespace gcsflux::emulator {

/// The method of the JSON API that the operation belongs to, "storage.objects.insert", say. Lives for ever.
std::string_view OperationName(Operation operation);

}  // namespace gcsflux::emulator
