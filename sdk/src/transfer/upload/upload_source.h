#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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
  /// All bytes, if they are in memory.
  [[nodiscard]] virtual std::optional<std::span<const std::byte>> memory() const { return std::nullopt; }
  /// Fills `buffer` with the bytes from `offset` on, which are within size().
  [[nodiscard]] virtual Result<void> ReadInto(std::uint64_t offset, std::span<std::byte> buffer) const = 0;
  /// The bytes [offset, offset + count), which are within size(): in `buffer`, or in the source's own memory. Valid as
  /// long as both.
  Result<std::span<const std::byte>> Read(std::uint64_t offset, std::size_t count,
                                          std::vector<std::byte>& buffer) const;
  /// Fails if the source has changed since it was read.
  [[nodiscard]] virtual Result<void> CheckUnchanged() const = 0;
  /// One line that tells one state of a file from later ones: device, inode, size, and the times of the last change of
  /// its bytes and of its status. Empty for memory.
  [[nodiscard]] virtual std::string Fingerprint() const = 0;
};

/// CRC32C of the first `size` bytes. Returns kCancelled if it is stopped.
Result<std::uint32_t> ChecksumOf(const UploadSource& source, std::uint64_t size, const std::stop_token& stop);

/// A source in memory, which must outlive it.
std::unique_ptr<UploadSource> MemorySource(std::span<const std::byte> data);

/// A source in a regular file. Returns kLocalIo if it cannot be opened or read, is not a regular file, or has changed
/// since it was opened. A change is seen by the size, by the modification time, which a program can set back, and by
/// the status change time, which it cannot.
Result<std::unique_ptr<UploadSource>> FileSource(const std::string& path);

}  // namespace gcsflux::internal
