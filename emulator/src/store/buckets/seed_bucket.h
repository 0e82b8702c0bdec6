#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/failure.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

struct SeedRequest {
  std::string bucket = {};  ///< Made if it does not exist.
  std::filesystem::path directory = {};
  std::string prefix = {};  ///< Put before the files' paths without a separator: "images/" or "", not "images".
};

struct SeedResult {
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
};

/// Stores every file below the directory as an object, named by its relative path. Symbolic links are left out, because
/// they could lead anywhere. Overwrites objects. If it fails, the objects stored before that stay.
Outcome<SeedResult> SeedBucket(Store& store, const SeedRequest& request);

}  // namespace gcsflux::emulator
