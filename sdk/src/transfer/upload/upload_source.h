#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Bytes that can be read again, at any offset. Thread-safe.
class UploadSource {
 public:
  virtual ~UploadSource() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// The bytes [offset, offset + count), which are within size(): in `room`, or in the source's own memory. Valid as
  /// long as both.
  virtual Result<std::span<const std::byte>> Read(std::uint64_t offset, std::size_t count,
                                                  std::vector<std::byte>& room) const = 0;
  /// Fails if the source has changed since it was read.
  [[nodiscard]] virtual Result<void> CheckUnchanged() const = 0;
  /// One line that tells one state of a file from later ones: its size and its modification time. Empty for memory.
  [[nodiscard]] virtual std::string Fingerprint() const = 0;
};

/// CRC32C of all bytes. Returns kCancelled if it is stopped.
Result<std::uint32_t> ChecksumOf(const UploadSource& source, const std::stop_token& stop);

/// A source in memory, which must outlive it.
std::unique_ptr<UploadSource> MemorySource(std::span<const std::byte> data);

/// A source in a regular file. Returns kLocalIo if it cannot be opened or read, is not a regular file, or has changed
/// since it was opened (its size or its modification time).
Result<std::unique_ptr<UploadSource>> FileSource(const std::string& path);

}  // namespace gcsflux::internal
