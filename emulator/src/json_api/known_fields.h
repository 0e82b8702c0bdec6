#pragma once

#include "json_api/field_mask.h"
#include "operations/operation.h"

namespace gcsflux::emulator {

/// Every field that such an answer may have. `fields` may select no others.
const FieldMask& KnownFields(Answer answer);

}  // namespace gcsflux::emulator
