#pragma once

#include <algorithm>
#include <cstdint>

#include "gcsflux/download_file.h"
#include "gcsflux/upload.h"

namespace gcsflux::cli {

/// How many connections a download of this size can use, from 1 to `most`: one for each range.
inline int DownloadConnections(std::uint64_t bytes, int most) {
  const std::uint64_t range = DownloadFileOptions{}.range_bytes;
  return static_cast<int>(
      std::clamp<std::uint64_t>(bytes / range + (bytes % range == 0 ? 0 : 1), 1, static_cast<std::uint64_t>(most)));
}

/// How many connections an upload of this size can use: one for each of the shortest parts, if it is sent as parts.
inline int UploadConnections(std::uint64_t bytes, int most) {
  constexpr std::uint64_t kShortestPart = 5U << 20;
  if (bytes <= kLeastParallelUpload) return 1;
  return static_cast<int>(std::min(bytes / kShortestPart, static_cast<std::uint64_t>(most)));
}

}  // namespace gcsflux::cli
