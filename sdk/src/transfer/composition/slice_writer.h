#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gcsflux/download.h"
#include "transfer/download/group.h"

namespace gcsflux::internal {

/// Writes a composite's bytes, which come in order, to the destinations of its sources. Compares each source's CRC32C
/// as soon as it is complete. The arguments must outlive it.
class SliceWriter {
 public:
  SliceWriter(std::span<const DownloadSource> sources, std::span<Destination> destinations)
      : sources_(sources), destinations_(destinations) {}

  /// Returns kCorrupted with the object's name if its bytes do not match its checksum, or there are more bytes than all
  /// sources have.
  Result<void> Write(std::span<const std::byte> data);
  /// Call it after the last byte. Returns kCorrupted if bytes are missing.
  Result<void> Finish();

 private:
  Result<void> CompleteSlices();

  const std::span<const DownloadSource> sources_;
  const std::span<Destination> destinations_;
  std::size_t slice_ = 0;     // The source that is being written.
  std::size_t written_ = 0;   // Bytes of it that are written.
  std::uint32_t crc32c_ = 0;  // Checksum of these bytes.
};

}  // namespace gcsflux::internal
