#pragma once

#include <chrono>
#include <optional>
#include <stop_token>

#include "gcsflux/collective.h"
#include "gcsflux/epoch.h"
#include "gcsflux/saved_listing.h"

namespace gcsflux {

struct ListingCacheOptions {
  /// An older saved listing is not used: the prefix is listed again, and the new listing replaces the old one. The age
  /// is by this machine's clock; a listing that is as much ahead of it is not used either. Set it if objects are added
  /// or overwritten; without it the first listing is used without limit.
  std::optional<std::chrono::seconds> max_age = {};
  /// How the prefix is listed, and which objects are returned: from start_offset to end_offset, of the storage_classes,
  /// with or without directory markers, the first `limit` of them. The saved listing holds all objects except
  /// composites. Callers that ask for other objects share one cache.
  ParallelListOptions listing = {};
  CallOptions call = {};  ///< For requests for the saved listing. The listing's own requests have their own options.
  std::stop_token stop = {};  ///< Ends the listing too, as `listing.stop` does.
};

struct CachedListing {
  ListingSnapshot snapshot = {};
  bool is_from_cache = false;  ///< The listing was read from the cache; otherwise this call listed.
  bool is_in_cache = false;    ///< Other callers read this listing now.
  /// What was wrong with the saved listing, or why this one could not be saved. Absent if there was no error, or no
  /// listing was saved yet. After kStale or kCorrupted, is_in_cache says whether it was replaced.
  std::optional<Error> cache_error = {};
};

/// Lists everything under a prefix. If a listing of that prefix is saved at `cache` and is young enough, returns it.
/// Otherwise lists with ListInParallel and saves the listing there. The object `cache` itself is never part of the
/// listing, even if it is under the prefix, or another program has saved a listing with it.
///
/// Processes that call it at the same time get the same listing: the first one that saves wins, and the others read
/// what it saved. Later processes read it too, until it is too old. Processes that begin around that time may get the
/// old or the new listing; ListingFingerprint distinguishes them.
///
/// A listing that is damaged, too old or of another prefix is replaced. Returns kInvalidArgument if `cache` holds
/// something that never was a listing, and does not overwrite it. An empty listing is not saved. If the cache cannot be
/// read or written, for example without the permission, the call still returns a listing, and cache_error says why.
/// Then each process lists for itself, and the listings may differ: CheckSameListing() finds that out. Other errors are
/// those of ListInParallel, and kLocalIo if there is not enough memory.
Result<CachedListing> ListThroughCache(const Client& client, const ObjectName& prefix, const ObjectName& cache,
                                       const ListingCacheOptions& options = {});

/// Compares the listings of all ranks. All ranks call it, before they read: with MapDataset::fingerprint(), or with
/// IterableDataset::cursor().listing before the first Epoch(). If two of them differ, returns kInvalidArgument on every
/// rank, with the first rank that differs from rank 0. Otherwise the ranks would use some samples twice and others not
/// at all. Of a listing that still runs only the prefix is compared. Other errors are those of Collective::AllGather.
Result<void> CheckSameListing(Collective& ranks, const ListingFingerprint& listing,
                              const CollectiveLimits& limits = {});

}  // namespace gcsflux
