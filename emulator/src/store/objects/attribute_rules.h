#pragma once

#include "base/failure.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

/// Whether an object may have these: an existing storage class, or "" for the bucket's, and no more metadata than
/// https://cloud.google.com/storage/quotas#objects allows.
Outcome<void> CheckAttributes(const ObjectAttributes& attributes);

/// The same for attributes that replace `before` on one generation.
Outcome<void> CheckAttributesChange(const ObjectAttributes& before, const ObjectAttributes& after);

}  // namespace gcsflux::emulator
