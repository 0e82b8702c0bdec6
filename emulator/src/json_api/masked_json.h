#pragma once

#include <nlohmann/json_fwd.hpp>

#include "http/http_message.h"
#include "json_api/api_call.h"
#include "json_api/field_mask.h"

namespace gcsflux::emulator {

/// The part of `value` that the client asked for. A list's elements share the list's mask.
nlohmann::ordered_json Masked(const nlohmann::ordered_json& value, const FieldMask& fields);

/// 200 with the part of `resource` that `fields` asks for.
HttpResponse MaskedResponse(const ApiCall& call, const nlohmann::ordered_json& resource);

}  // namespace gcsflux::emulator
