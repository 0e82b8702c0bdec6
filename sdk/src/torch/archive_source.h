#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "formats/zip/zip_directory.h"
#include "gcsflux/object_reader.h"

namespace gcsflux {

/// The source from which libtorch reads an archive: an object that is fetched ahead while libtorch reads one record
/// after the other. The object is never held whole.
///
/// libtorch compares no checksums, and crashes on damaged pickles and code. So these small records are fetched first,
/// compared with their CRC-32s, and given to libtorch from memory. For one thread at a time.
class ArchiveSource {
 public:
  explicit ArchiveSource(ObjectReader reader) : reader_(std::move(reader)) {}
  /// The options for opening the object.
  static ObjectReaderOptions ReaderOptions(ObjectReaderOptions options);

  /// Fetches the small records. Returns kUndecodable if the object is not an archive, and kCorrupted if a CRC-32
  /// differs.
  Result<void> Begin();

  /// Fills `into` and returns the number of bytes. After a failure, which is kept, returns 0; then libtorch stops.
  std::size_t Read(std::uint64_t offset, std::span<std::byte> into);
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

  [[nodiscard]] std::uint64_t size() const { return reader_.size(); }
  /// Compares all bytes with the object's CRC32C.
  Result<void> VerifyWhole() const { return reader_.VerifyWhole(); }

 private:
  Result<void> Hold(const internal::ZipDirectory& directory);
  Result<void> HoldHead();
  [[nodiscard]] Result<void> CompareHeld(const internal::ZipDirectory& directory);
  Result<std::size_t> ReadObject(std::uint64_t offset, std::span<std::byte> into);
  [[nodiscard]] std::size_t CopyHeld(std::uint64_t offset, std::span<std::byte> into) const;

  ObjectReader reader_;
  std::map<std::uint64_t, std::string> held_;  // By offset.
  std::optional<Error> failure_;
};

}  // namespace gcsflux
