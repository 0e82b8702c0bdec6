#pragma once

#include "http/api_error.h"
#include "http/target.h"
#include "json_api/field_mask.h"
#include "operations/operation.h"

namespace gcsflux::emulator {

/// The parameters of every method of the JSON API: https://cloud.google.com/storage/docs/json_api/v1/parameters
struct StandardParameters {
  FieldMask fields = {};
  bool shows_acl = false;  ///< `projection=full`
};

/// 400 if one of them has a value that it cannot have for such an answer.
ApiResult<StandardParameters> ReadStandardParameters(Answer answer, const QueryParameters& query);

}  // namespace gcsflux::emulator
