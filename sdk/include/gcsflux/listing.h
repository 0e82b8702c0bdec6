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
#include "gcsflux/storage_class.h"

namespace gcsflux {

struct ListOptions {
  std::string delimiter = {};  ///< "/" lists one directory level.
  std::string fields = {};     ///< As ListObjectsOptions::fields.
  CallOptions call = {};
  std::stop_token stop = {};
};

struct ObjectListing {
  std::vector<ObjectMetadata> objects = {};  ///< In bytewise order of their names.
  std::vector<std::string> prefixes = {};    ///< Directories, in the same order; only with a delimiter.
};

/// Everything under a prefix, all pages of it one after the other, with all that GCS tells of an object: for single
/// directory levels and for few objects. ListInParallel is for the others.
///
/// An error ends it as that error: never a part as success. Nothing there is an empty listing; no such bucket is
/// kNotFound. kBadResponse where the service lists a name twice or out of its order, and after 1,000 pages in a row
/// that have no names, though each says that there are more. ListInParallel has the same errors.
Result<ObjectListing> ListPrefix(const Client& client, const ObjectName& prefix, const ListOptions& options = {});

/// One object of a parallel listing: what is needed to read it, in little memory.
struct ListedObject {
  std::string name = {};
  std::uint64_t size = 0;  ///< In bytes, as stored.
  std::int64_t generation = 0;
  std::optional<std::uint32_t> crc32c = {};
  StorageClass storage_class = {};
  std::chrono::system_clock::time_point updated = {};
};

struct ParallelListOptions {
  std::string start_offset = {};  ///< Names at or after it.
  std::string end_offset = {};    ///< Names before it; empty is no bound.
  /// Ends the listing after so many objects: the first in order, or with a sink that takes them as they are found, any.
  std::optional<std::uint64_t> limit = {};
  /// Calls at the same time, each on a connection of its own: from 1, which lists sequentially, to kMaxConcurrency.
  /// Raise it (256) for more than some 20 million names; lower it where the bucket's quota serves others too.
  int parallelism = 48;
  /// At most so many times the calls of a sequential listing, plus the parallelism; at least 1. Lower it where calls
  /// cost more than time; raise it (4) for names that come in bursts.
  double call_cap = 2;
  /// Names that end with "/", which some tools store for empty directories.
  bool include_directory_markers = true;
  /// Leaves out what composed downloads keep under "dataflux-composed-objects/", and parallel writers under
  /// "gcsflux-uploads/", for as long as they run, unless the prefix asks for it.
  bool skip_composites = true;
  /// Only objects of these classes ("STANDARD"); none named takes all. What is left out is listed all the same: the
  /// service cannot tell them apart.
  std::vector<std::string> storage_classes = {};
  /// ListingReport::split_points of an earlier listing: all workers then have something to do from the beginning. They
  /// may be out of date, or of another bucket: that costs time only.
  std::vector<std::string> split_points = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// What a parallel listing took.
struct ListingReport {
  std::uint64_t objects = 0;    ///< That were delivered.
  std::uint64_t calls = 0;      ///< Pages that were asked for.
  std::uint64_t steals = 0;     ///< Of them, those that began in the middle of another's range.
  std::uint64_t retries = 0;    ///< Of the client, meanwhile: attempts that followed a failed one.
  std::uint64_t throttled = 0;  ///< Of the client, meanwhile: answers that asked for fewer requests.
  double seconds = 0;
  std::map<std::string, std::uint64_t> storage_classes = {};  ///< Objects of each.
  std::string warning = {};                                   ///< Objects whose reading costs retrieval fees.
  std::vector<std::string> split_points = {};                 ///< For ParallelListOptions::split_points.
};

struct Listing {
  std::vector<ListedObject> objects = {};  ///< In bytewise order of their names.
  ListingReport report = {};
};

/// Takes objects while the listing goes on, in batches of at most a page, each in order. Called on the thread that
/// asked for the listing, one call at a time. While it is busy at most some hundred pages are fetched ahead. An error
/// ends the listing as that error; one that throws ends it as kLocalIo.
using ListingSink = std::function<Result<void>(std::vector<ListedObject> objects)>;

/// Everything under a prefix by many calls at the same time, which share the names among them as they learn what they
/// look like: docs/listing.md. Names that are there from the beginning to the end are listed exactly once; those that
/// come or go meanwhile may or may not be. Never slower than a sequential listing, and with one worker the same.
///
/// An error of any call ends it as that error: never a part as success. Nothing there is an empty listing; no such
/// bucket is kNotFound.
Result<Listing> ListInParallel(const Client& client, const ObjectName& prefix, const ParallelListOptions& options = {});

/// In which order a sink takes objects.
enum class ListingOrder {
  kAsFound,  ///< Batches in any order: soonest, and in bounded memory.
  kByName,   ///< In bytewise order: what is found ahead of its turn is kept in memory until then.
};

/// The same, into a sink. On an error the sink has seen a part.
Result<ListingReport> ListInParallel(const Client& client, const ObjectName& prefix, ListingOrder order,
                                     const ListingSink& sink, const ParallelListOptions& options = {});

}  // namespace gcsflux
