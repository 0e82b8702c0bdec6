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
#include "gcsflux/interned_name.h"

namespace gcsflux {

struct ListOptions {
  std::string delimiter = {};     ///< "/" lists one directory level.
  std::string start_offset = {};  ///< Names at or after it.
  std::string fields = {};        ///< As ListObjectsOptions::fields.
  CallOptions call = {};
  std::stop_token stop = {};
};

struct ObjectListing {
  std::vector<ObjectMetadata> objects = {};  ///< In bytewise order of their names.
  std::vector<std::string> prefixes = {};    ///< Directories, in the same order; only with a delimiter.
};

/// Lists everything under a prefix, one page after the other, with all metadata that GCS gives. For single directory
/// levels and for few objects; otherwise use ListInParallel.
///
/// An error fails the whole call: it never returns a part as a success. If there are no objects, the listing is empty;
/// if there is no such bucket, returns kNotFound. Returns kBadResponse if the service lists a name twice, out of order
/// or outside of the prefix, or gives 1,000 pages in a row without names. ListInParallel has the same errors.
Result<ObjectListing> ListPrefix(const Client& client, const ObjectName& prefix, const ListOptions& options = {});

/// One object of a parallel listing: what is needed to read it, in little memory.
struct ListedObject {
  std::string name = {};
  std::uint64_t size = 0;  ///< In bytes, as stored.
  std::int64_t generation = 0;
  std::optional<std::uint32_t> crc32c = {};
  InternedName storage_class = {};
  std::chrono::system_clock::time_point updated = {};
  InternedName kms_key_name = {};  ///< As ObjectMetadata::kms_key_name.
};

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
  /// ListingReport::split_points of an earlier listing: all workers then have work from the beginning. If the points
  /// are out of date or of another bucket, that costs only time.
  std::vector<std::string> split_points = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// What a parallel listing took.
struct ListingReport {
  std::uint64_t objects = 0;    ///< Objects delivered.
  std::uint64_t calls = 0;      ///< Pages requested.
  std::uint64_t steals = 0;     ///< Calls that began in the middle of another worker's range.
  std::uint64_t retries = 0;    ///< Of the client, meanwhile: attempts that followed a failed one.
  std::uint64_t throttled = 0;  ///< Of the client, meanwhile: answers that asked for fewer requests.
  std::chrono::nanoseconds elapsed{0};
  std::map<std::string, std::uint64_t> storage_classes = {};  ///< Number of objects in each class.
  std::string warning = {};  ///< Warns of objects whose reading costs retrieval fees; empty if there are none.
  std::vector<std::string> split_points = {};  ///< For ParallelListOptions::split_points.
};

struct Listing {
  std::vector<ListedObject> objects = {};  ///< In bytewise order of their names.
  ListingReport report = {};
};

/// Takes objects while the listing runs, in batches of at most a page, each in order. The thread that called the
/// listing calls it, one batch at a time. While it is busy, at most about a hundred pages are fetched ahead. If it
/// returns an error, the listing ends with that error; an exception ends it with kLocalIo.
using ListingSink = std::function<Result<void>(std::vector<ListedObject> objects)>;

/// Lists everything under a prefix by many calls at the same time. The calls divide the names among them, as they learn
/// where names are: docs/listing.md. Names that exist from the beginning to the end are listed exactly once; those that
/// come or go meanwhile may or may not be listed. It is never slower than a sequential listing; with one worker it is
/// one.
///
/// An error of any call fails the whole listing: it never returns a part as a success. If there are no objects, the
/// listing is empty; if there is no such bucket, returns kNotFound.
Result<Listing> ListInParallel(const Client& client, const ObjectName& prefix, const ParallelListOptions& options = {});

/// The order in which a sink takes objects.
enum class ListingOrder {
  kAsFound,  ///< Batches in any order: as soon as possible, and in bounded memory.
  /// In bytewise order. Objects that are found before their turn are kept in memory.
  kByName,
};

/// Lists into a sink. If it returns an error, the sink has taken a part.
Result<ListingReport> ListInParallel(const Client& client, const ObjectName& prefix, ListingOrder order,
                                     const ListingSink& sink, const ParallelListOptions& options = {});

}  // namespace gcsflux
