#pragma once

#include <span>

#include "gcsflux/epoch.h"
#include "gcsflux/listing.h"

namespace gcsflux::internal {

/// A cursor of the first objects of a listing, as one of the whole listing. Returns kInvalidArgument if they are not
/// its first objects, or the cursor has another order. Other cursors are returned unchanged.
Result<Cursor> OfWholeListing(Cursor cursor, const EpochOptions& options, const ListingFingerprint& whole,
                              std::span<const ListedObject> objects);

}  // namespace gcsflux::internal
