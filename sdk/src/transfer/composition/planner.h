#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gcsflux/download.h"

namespace gcsflux::internal {

/// Objects that one compose joins at most: https://cloud.google.com/storage/docs/composite-objects
inline constexpr std::size_t kMaxComposeSources = 32;

struct GroupLimits {
  std::size_t max_sources = kMaxComposeSources;  ///< At most kMaxComposeSources; 1 composes nothing.
  std::uint64_t max_bytes = 0;                   ///< Of a composite.
};

/// How many of the sources, from the first on, are fetched together: through one composite where they are two or more,
/// which are of one bucket, pinned by their generations and together within the limits; else the first by itself.
/// Pure. 0 only where there are none.
std::size_t TakeGroup(std::span<const DownloadSource> sources, const GroupLimits& limits);

}  // namespace gcsflux::internal
