#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gcsflux/download.h"
#include "transfer/download/unit.h"

namespace gcsflux::internal {

/// Takes a composite's bytes, in order, to where the bytes of its sources belong, and compares each source's CRC32C as
/// soon as it is complete. What is passed outlives it.
class SliceWriter {
 public:
  SliceWriter(std::span<const DownloadSource> sources, std::span<const Destination> destinations)
      : sources_(sources), destinations_(destinations) {}

  /// kCorrupted, with the object's name, where its bytes are not those of its checksum, or more bytes come than belong
  /// to all sources.
  Result<void> Write(std::span<const std::byte> data);
  /// After the last byte: kCorrupted where some are missing.
  Result<void> Finish();

 private:
  Result<void> CompleteSlices();

  const std::span<const DownloadSource> sources_;
  const std::span<const Destination> destinations_;
  std::size_t slice_ = 0;     // The one that is being written.
  std::size_t written_ = 0;   // Bytes of it.
  std::uint32_t crc32c_ = 0;  // Of these.
};

}  // namespace gcsflux::internal
