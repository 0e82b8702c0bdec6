#pragma once

#include <cstdint>

#include "gcsflux/saved_listing.h"

namespace gcsflux::internal {

/// The object at the place of a saved listing.
struct StoredListing {
  std::int64_t generation = 0;
  bool is_listing = false;                     ///< It begins like a listing, even if the rest is damaged.
  Result<ListingSnapshot> snapshot = Error{};  ///< Or why it cannot be used: the errors of LoadListing().
};

/// Returns an error if it could not be read.
Result<StoredListing> ReadStoredListing(const Client& client, const ObjectName& source,
                                        const LoadListingOptions& options);

}  // namespace gcsflux::internal
