#pragma once

#include <chrono>
#include <optional>
#include <stop_token>

#include "gcsflux/saved_listing.h"

namespace gcsflux {

struct ListingCacheOptions {
  /// An older listing is not used: the prefix is listed again, and the new listing replaces it. By this machine's
  /// clock. Set it where objects are added or overwritten; without it the first listing is used for ever.
  std::optional<std::chrono::seconds> max_age = {};
  /// How the prefix is listed, and which of its objects are returned: from start_offset to end_offset, of the
  /// storage_classes, with or without directory markers, the first `limit` of them. What is saved has them all, but
  /// for composites, which are always left out: callers that ask for other objects share one cache.
  ParallelListOptions listing = {};
  CallOptions call = {};  ///< Of the requests for the saved listing; those of the listing have their own.
  std::stop_token stop = {};
};

struct CachedListing {
  ListingSnapshot snapshot = {};
  bool is_from_cache = false;  ///< It was read; else it was listed by this call.
  bool is_in_cache = false;    ///< Other callers read this listing now.
  /// What was wrong with the saved listing, or why this one could not be saved; nothing where all went well, or where
  /// none was saved yet. kStale, kCorrupted: is_in_cache says that it was replaced.
  std::optional<Error> cache_error = {};
};

/// Everything under a prefix, from the listing that is saved at `cache` if there is one, of that prefix and young
/// enough; else by ListInParallel, and saved there. The directory of `cache` may be under the prefix: the object itself
/// is never part of the listing.
///
/// Processes that call it at the same time get the same listing: the first one to save wins, and the others read what
/// it saved. So do all later ones, until the listing is too old; processes that begin around that time may get the old
/// or the new one (ListingFingerprint tells).
///
/// A listing that is damaged, too old or of another prefix is replaced. kInvalidArgument where `cache` holds something
/// that never was a listing: it is not overwritten. An empty listing is not saved. If the cache cannot be read or
/// written, for example without the permission, the listing is returned all the same, and cache_error says why; each
/// process then lists for itself, and the listings may differ. Other errors are those of ListInParallel.
Result<CachedListing> ListThroughCache(const Client& client, const ObjectName& prefix, const ObjectName& cache,
                                       const ListingCacheOptions& options = {});

}  // namespace gcsflux
