#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/listing.h"
#include "gcsflux/upload.h"

// A listing as one object of Cloud Storage: one process lists, all others read. 2,000,000 names of 32 characters take
// about 94 MB. docs/listing.md says how the bytes are laid out.
namespace gcsflux {

/// What was under a prefix at some time.
struct ListingSnapshot {
  ObjectName prefix = {};
  /// When the listing was begun, by the clock of the machine that listed; kept in whole milliseconds.
  std::chrono::system_clock::time_point time = {};
  std::vector<ListedObject> objects = {};  ///< In bytewise order of their names.
};

struct SaveListingOptions {
  /// May it replace an earlier one? kOverwrite does, and kCreate does not.
  WriteMode mode = WriteMode::kOverwrite;
  std::int64_t generation = 0;  ///< For kReplace.
  CallOptions call = {};
  std::stop_token stop = {};
};

/// Stores the snapshot, sealed by a CRC32C. kInvalidArgument where its names are not in bytewise order, or one is
/// there twice; else as UploadObject. Holds the whole in memory a second time, in about half of its size.
Result<ObjectMetadata> SaveListing(const Client& client, const ObjectName& destination, const ListingSnapshot& snapshot,
                                   const SaveListingOptions& options = {});

struct LoadListingOptions {
  /// An older snapshot is kStale, by this machine's clock. Set it where objects are added or overwritten; what a
  /// snapshot names and is gone is kNotFound when it is read.
  std::optional<std::chrono::seconds> max_age = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// Reads what SaveListing() stored. kCorrupted: the bytes are damaged, cut off or no saved listing; kStale: it is
/// older than allowed; kInvalidArgument: a newer version of gcsflux saved it. Else as Downloader::Download.
Result<ListingSnapshot> LoadListing(const Client& client, const ObjectName& source,
                                    const LoadListingOptions& options = {});

}  // namespace gcsflux
