#pragma once

#include "server/api_error.h"
#include "server/field_mask.h"
#include "server/router.h"
#include "server/target.h"

namespace gcsflux::emulator {

/// What every method of the JSON API takes: https://cloud.google.com/storage/docs/json_api/v1/parameters
struct StandardParameters {
  FieldMask fields = {};
  bool shows_acl = false;  ///< `projection=full`
};

/// 400 where one of them has a value that it cannot have for that operation.
ApiResult<StandardParameters> ReadStandardParameters(Operation operation, const QueryParameters& query);

}  // namespace gcsflux::emulator
