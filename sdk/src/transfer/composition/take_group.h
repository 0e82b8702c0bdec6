#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "gcsflux/download.h"

namespace gcsflux::internal {

/// Most objects that one compose joins: https://cloud.google.com/storage/docs/composite-objects
inline constexpr std::size_t kMaxComposeSources = 32;

struct GroupLimits {
  std::size_t max_sources = kMaxComposeSources;  ///< At most kMaxComposeSources; 1 composes nothing.
  std::uint64_t max_bytes = 0;                   ///< Of a composite.
  std::string_view kms_key_name = {};            ///< Of composites; empty for none.
};

/// True if a copy under the Cloud KMS key `chosen` (empty: none) is as protected as an object under `own`: that has no
/// key, or the same one, in whatever version.
bool MayBeCopiedUnder(std::string_view chosen, InternedName own);

/// How many of the sources, from the first on, are fetched together. A group of two or more goes through one composite:
/// its sources are of one bucket, have generations, and are within the limits together. 1 means the first source alone.
/// 0 only if there are no sources. Pure.
std::size_t TakeGroup(std::span<const DownloadSource> sources, const GroupLimits& limits);

}  // namespace gcsflux::internal
