#pragma once

#include <cstdint>

#include "gcsflux/saved_listing.h"

namespace gcsflux::internal {

/// What is stored where a saved listing should be.
struct StoredListing {
  std::int64_t generation = 0;
  bool is_listing = false;                     ///< It begins as one, whatever became of the rest.
  Result<ListingSnapshot> snapshot = Error{};  ///< Or why it cannot be used: errors of LoadListing().
};

/// An error where it could not be read.
Result<StoredListing> ReadStoredListing(const Client& client, const ObjectName& source,
                                        const LoadListingOptions& options);

}  // namespace gcsflux::internal
