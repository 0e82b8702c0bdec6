#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "checkpoints/manifest.h"
#include "gcsflux/object_reader.h"
#include "sharding/sharded_checkpoints.h"

namespace gcsflux::internal {

/// A stored slice that is read whole: its bytes are those of `count` ranges of its file, in this order.
struct WholeSlice {
  const StepTensor* slice = nullptr;
  std::size_t first = 0;
  std::size_t count = 0;
};

/// A part of a stored slice that is one range of its file.
struct PartOfSlice {
  const StepTensor* slice = nullptr;
  std::size_t range = 0;
};

/// What to read of one file. `whole` and `parts` have only slices with a CRC32C.
struct FileReads {
  std::vector<RangeRead> ranges = {};
  std::vector<WholeSlice> whole = {};
  std::vector<PartOfSlice> parts = {};
};

struct LoadPlan {
  std::vector<FileReads> files = {};  ///< In the order of the manifest's files.
  /// Why parts cannot be loaded, one text for each. If there are any, do not read.
  std::vector<std::string> problems = {};
};

/// Finds the bytes of the stored slices that make the wanted parts. Each byte of a part is read once. Borrows both
/// arguments.
LoadPlan PlanLoad(const CheckpointManifest& manifest, std::span<const PartToLoad> parts);

}  // namespace gcsflux::internal
