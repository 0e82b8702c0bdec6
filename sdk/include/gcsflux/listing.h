#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/epoch.h"
#include "gcsflux/object.h"
#include "gcsflux/upload.h"

namespace gcsflux {

/// Lists everything under a prefix, one page after the other, with all metadata that GCS gives. For single directory
/// levels and for few objects; otherwise use ListInParallel.
///
/// An error fails the whole call: it never returns a part as a success. If there are no objects, the listing is empty;
/// if there is no such bucket, returns kNotFound. Returns kBadResponse if the service lists a name twice, out of order
/// or outside of the prefix, or, without match_glob, gives 1,000 pages in a row without names. ListInParallel has the
/// same errors.
Result<ObjectListing> ListPrefix(const Client& client, const ObjectName& prefix, const ListOptions& options = {});

/// For ListInParallel().
struct ParallelListOptions {
  std::string start_offset = {};  ///< Names at or after it.
  std::string end_offset = {};    ///< Names before it; empty is no bound.
  /// Ends the listing after this many objects. They are the first ones in order; for a sink that takes objects as they
  /// are found, any ones.
  std::optional<std::uint64_t> limit = {};
  /// Most calls at the same time, each over its own connection: from 1, which lists sequentially, to kMaxConcurrency.
  /// Raise it (to 256) for more than about 20 million names. Lower it if other clients need the bucket's quota.
  int max_concurrency = 48;
  /// Most calls, as a multiple of a sequential listing's calls; max_concurrency is added. At least 1. Lower it if calls
  /// cost more than time. Raise it (to 4) if the names come in dense groups.
  double call_cap = 2;
  /// Includes names that end with "/", which some tools store for empty directories.
  bool include_directory_markers = true;
  /// Leaves out temporary objects: those of composed downloads under "dataflux-composed-objects/", and those of
  /// parallel writers under "gcsflux-uploads/". If the prefix itself names them, they are included.
  bool skip_composites = true;
  /// Only objects of these classes ("STANDARD"); an empty list means all. The service cannot select them, so the calls
  /// list the other objects too.
  std::vector<std::string> storage_classes = {};
  /// Listing::split_points of an earlier listing: all workers then have work from the beginning. If the points
  /// are out of date or of another bucket, that costs only time.
  std::vector<std::string> split_points = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// The content of a prefix at some time.
struct Listing {
  ObjectName prefix = {};  ///< What was listed.
  /// The start of the listing, by the clock of the machine that listed; in whole milliseconds.
  std::chrono::system_clock::time_point time = {};
  std::vector<ListedObject> objects = {};  ///< In bytewise order of their names. Empty if a sink has taken them.

  // Of ListInParallel(), and of ListThroughCache() if it listed:
  std::uint64_t object_count = 0;       ///< Objects delivered.
  std::uint64_t calls = 0;              ///< Pages requested.
  std::uint64_t steals = 0;             ///< Calls that began in the middle of another worker's range.
  std::uint64_t retries = 0;            ///< Of the client, meanwhile: attempts that followed a failed one.
  std::uint64_t throttled = 0;          ///< Of the client, meanwhile: answers that asked for fewer requests.
  std::chrono::nanoseconds elapsed{0};  ///< Time that the listing took.
  std::map<std::string, std::uint64_t> storage_classes = {};  ///< Number of objects in each class.
  std::string warning = {};  ///< Warns of objects whose reading costs retrieval fees; empty if there are none.
  std::vector<std::string> split_points = {};  ///< For ParallelListOptions::split_points.

  // Of ListThroughCache():
  bool is_from_cache = false;  ///< The listing was read from the cache; otherwise the call listed.
  bool is_in_cache = false;    ///< Other callers read this listing now.
  /// What was wrong with the saved listing, or why this one could not be saved. Absent if there was no error, or no
  /// listing was saved yet. After kStale or kCorrupted, is_in_cache says whether it was replaced.
  std::optional<Error> cache_error = {};
};

/// Takes objects while the listing runs, in batches of at most a page, each in order. The thread that called the
/// listing calls it, one batch at a time. While it is busy, at most about a hundred pages are fetched ahead. If it
/// returns an error, the listing ends with that error; an exception ends it with kLocalIo.
using ListingSink = std::function<Result<void>(std::vector<ListedObject> objects)>;

/// Lists everything under a prefix by many calls at the same time. The calls divide the names among them, as they learn
/// where names are: docs/listing.md. Names that exist from the beginning to the end are listed exactly once; those that
/// come or go meanwhile may or may not be listed. Up to 20,000 names it takes no longer than a sequential listing, by
/// simulation (docs/listing.md); with one worker it is one.
///
/// An error of any call fails the whole listing: it never returns a part as a success. If there are no objects, the
/// listing is empty; if there is no such bucket, returns kNotFound.
Result<Listing> ListInParallel(const Client& client, const ObjectName& prefix, const ParallelListOptions& options = {});

/// The order in which objects are delivered.
enum class DeliveryOrder {
  /// A listing: by name. A download: in the order of the sources. Objects that come before their turn are kept in
  /// memory.
  kInOrder,
  kAsCompleted,  ///< As soon as they come: an object that is late does not delay the others.
};

/// Lists into a sink; the result has no objects. If it returns an error, the sink has taken a part.
Result<Listing> ListInParallel(const Client& client, const ObjectName& prefix, DeliveryOrder order,
                               const ListingSink& sink, const ParallelListOptions& options = {});

// A listing saved as one object of Cloud Storage: one process lists, all others read. 2,000,000 names of 32 characters
// take about 94 MB. docs/listing.md describes the format.

/// Stores prefix, time and objects of a listing with a CRC32C, as UploadObject() does. Returns kInvalidArgument if its
/// names are not in bytewise order, a name occurs twice, one is longer than 1,024 bytes, or all names together are more
/// than 64 times as long as what would be stored. Returns kLocalIo if there is not enough memory. Other errors are
/// those of UploadObject(). Holds the listing in memory a second time, in about half of its size.
Result<ObjectMetadata> SaveListing(const Client& client, const ObjectName& destination, const Listing& listing,
                                   const UploadOptions& options = {});

/// For LoadListing() and ListThroughCache().
struct ListingCacheOptions {
  /// If the saved listing is older by this machine's clock, or as much ahead of it, LoadListing() returns kStale, and
  /// ListThroughCache() lists again and replaces it. Set it if objects are added or overwritten. If an object of the
  /// listing is gone, a later read of it returns kNotFound.
  std::optional<std::chrono::seconds> max_age = {};
  /// For ListThroughCache(): how the prefix is listed, and which objects are returned: from start_offset to end_offset,
  /// of the storage_classes, with or without directory markers, the first `limit` of them. The saved listing holds all
  /// objects except composites. Callers that ask for other objects share one cache.
  ParallelListOptions listing = {};
  CallOptions call = {};  ///< For requests for the saved listing. The listing's own requests have their own options.
  std::stop_token stop = {};  ///< Ends the listing too, as `listing.stop` does.
};

/// Reads what SaveListing() stored. Returns kCorrupted if the bytes are damaged, cut off or not a saved listing, kStale
/// if it is older than allowed, kInvalidArgument if a newer version of gcsflux saved it, and kLocalIo if there is not
/// enough memory for the names. Other errors are those of Client::GetObject and Downloader::Download. Objects of more
/// than 8 GiB and listings that SaveListing() would refuse are kCorrupted: a listing takes at most about 80 times its
/// stored bytes.
Result<Listing> LoadListing(const Client& client, const ObjectName& source, const ListingCacheOptions& options = {});

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
Result<Listing> ListThroughCache(const Client& client, const ObjectName& prefix, const ObjectName& cache,
                                 const ListingCacheOptions& options = {});

}  // namespace gcsflux
