#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "http/api_error.h"
#include "http/http_message.h"

namespace gcsflux::emulator {

/// A request's body. 400 if it is not a JSON object, or if a member does not fit `shape`: see FindMisfit(). Members
/// that are null are left out.
ApiResult<nlohmann::json> ReceiveJsonObject(RequestBody& body, const nlohmann::json& shape);

/// 400: the field has a value that it cannot have.
inline ApiError InvalidField(const std::string& field) {
  return BadRequest("Invalid value for field '" + field + "'.");
}

}  // namespace gcsflux::emulator
