#pragma once

#include <cstdint>
#include <new>
#include <stdexcept>

#include "base/object_name.h"
#include "gcsflux/listing.h"

namespace gcsflux::internal {

/// The object at the place of a saved listing.
struct StoredListing {
  std::int64_t generation = 0;
  bool is_listing = false;            ///< It begins like a listing, even if the rest is damaged.
  Result<Listing> listing = Error{};  ///< Or why it cannot be used: the errors of LoadListing().
};

/// Returns what `make` returns, or an error if there is no memory for it.
template <class Make>
auto WithinMemory(const ObjectName& object, const Make& make) -> decltype(make()) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return Error{ErrorCode::kLocalIo, ToUri(object) + ": there is not enough memory for the listing"};
}

/// Returns an error if it could not be read.
Result<StoredListing> ReadStoredListing(const Client& client, const ObjectName& source,
                                        const ListingCacheOptions& options);

}  // namespace gcsflux::internal
