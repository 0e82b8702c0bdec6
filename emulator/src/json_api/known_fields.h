#pragma once

#include "json_api/field_mask.h"
#include "json_api/router.h"

namespace gcsflux::emulator {

/// Every field that an answer to the operation may have. `fields` may select no others.
const FieldMask& KnownFields(Operation operation);

}  // namespace gcsflux::emulator
