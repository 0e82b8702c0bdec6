#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Bytes that can be read again, from any place. Thread-safe.
class UploadSource {
 public:
  virtual ~UploadSource() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// [offset, offset + count), which is within size(): in `room`, or where the source has them already. Valid as long
  /// as both.
  virtual Result<std::span<const std::byte>> Read(std::uint64_t offset, std::size_t count,
                                                  std::vector<std::byte>& room) const = 0;
  /// Fails where what was read is not what is there now.
  [[nodiscard]] virtual Result<void> CheckUnchanged() const = 0;
};

/// Of memory, which must live as long.
std::unique_ptr<UploadSource> MemorySource(std::span<const std::byte> data);

/// Of a regular file. kLocalIo: it cannot be opened or read, is of
/// another kind, or has changed since it was opened (its size or its time of modification).
Result<std::unique_ptr<UploadSource>> FileSource(const std::string& path);

}  // namespace gcsflux::internal
