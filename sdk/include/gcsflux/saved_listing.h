#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/listing.h"
#include "gcsflux/upload.h"

// A listing saved as one object of Cloud Storage: one process lists, all others read. 2,000,000 names of 32 characters
// take about 94 MB. docs/listing.md describes the format.
namespace gcsflux {

/// The content of a prefix at some time.
struct ListingSnapshot {
  ObjectName prefix = {};
  /// The start of the listing, by the clock of the machine that listed; in whole milliseconds.
  std::chrono::system_clock::time_point time = {};
  std::vector<ListedObject> objects = {};  ///< In bytewise order of their names.
};

struct SaveListingOptions {
  /// Whether it may replace an earlier object: kOverwrite does, kCreate does not.
  WriteMode mode = WriteMode::kOverwrite;
  std::optional<std::int64_t> generation = {};  ///< The generation that kReplace replaces. Required for kReplace.
  CallOptions call = {};
  std::stop_token stop = {};
};

/// Stores the snapshot with a CRC32C. Returns kInvalidArgument if its names are not in bytewise order, a name occurs
/// twice, one is longer than 1,024 bytes, or all names together are more than 64 times as long as what would be stored.
/// Returns kLocalIo if there is not enough memory. Other errors are those of UploadObject. Holds the snapshot in memory
/// a second time, in about half of its size.
Result<ObjectMetadata> SaveListing(const Client& client, const ObjectName& destination, const ListingSnapshot& snapshot,
                                   const SaveListingOptions& options = {});

struct LoadListingOptions {
  /// If the snapshot is older by this machine's clock, or as much ahead of it, returns kStale. Set it if objects are
  /// added or overwritten. If an object of the snapshot is gone, a later read of it returns kNotFound.
  std::optional<std::chrono::seconds> max_age = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// Reads what SaveListing() stored. Returns kCorrupted if the bytes are damaged, cut off or not a saved listing, kStale
/// if it is older than allowed, kInvalidArgument if a newer version of gcsflux saved it, and kLocalIo if there is not
/// enough memory for the names. Other errors are those of Client::GetObject and Downloader::Download. Objects of more
/// than 8 GiB and listings that SaveListing() would refuse are kCorrupted: a listing takes at most about 80 times its
/// stored bytes.
Result<ListingSnapshot> LoadListing(const Client& client, const ObjectName& source,
                                    const LoadListingOptions& options = {});

}  // namespace gcsflux
