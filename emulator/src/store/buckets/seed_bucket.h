#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/failure.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

struct SeedRequest {
  std::string bucket = {};  ///< Made where it is not there.
  std::filesystem::path directory = {};
  std::string prefix = {};  ///< Put before the files' paths, as it is: "images/" or "" rather than "images".
};

struct SeedResult {
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
};

/// Stores every file below the directory as an object, named by its path from there. Symbolic links are left out: they
/// could lead anywhere. Overwrites; on a failure, what was stored before it stays.
Outcome<SeedResult> SeedBucket(Store& store, const SeedRequest& request);

}  // namespace gcsflux::emulator
