#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/formats.h"

namespace gcsflux::internal {

/// Writes a zip archive in one pass. Records are stored, aligned to 64 bytes and followed by their CRC-32, as PyTorch
/// writes them. zip64 is used only if an offset, a size or a count needs it.
///
/// Call BeginRecord(), then Write() until the record's size is reached; the same for the next record; then Finish().
/// Not thread-safe. After a failure it must not be used any more.
class ZipWriter {
 public:
  /// `sink` is borrowed. If it is null, bytes are only counted, and SkipData() may skip data.
  explicit ZipWriter(const ByteSink* sink) : sink_(sink) {}

  /// The size must be exact: a writer that gives another one is refused. Names must be different.
  Result<void> BeginRecord(std::string_view name, std::uint64_t size);
  Result<void> Write(std::span<const std::byte> data);
  /// Like Write() of this many bytes, if only the archive's length is needed.
  void SkipData(std::uint64_t bytes);
  /// Writes the directory.
  Result<void> Finish();

  /// Bytes written so far.
  [[nodiscard]] std::uint64_t bytes() const { return position_; }

 private:
  struct Written {
    std::string name;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint32_t crc32 = 0;
  };

  Result<void> Emit(std::string_view bytes);
  Result<void> EndRecord();

  const ByteSink* sink_;
  std::uint64_t position_ = 0;
  std::optional<Written> open_;
  std::uint64_t open_left_ = 0;
  std::vector<Written> written_;
};

}  // namespace gcsflux::internal
