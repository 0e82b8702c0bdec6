#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "formats/zip_directory.h"
#include "gcsflux/object_reader.h"

namespace gcsflux {

/// What libtorch reads an archive from: an object, which is fetched ahead while libtorch asks for one record after the
/// other. The object is never held whole.
///
/// libtorch compares no checksum, and crashes on pickles and code that are damaged. So these, which are small, are
/// fetched first, compared with their CRC-32s, and given to libtorch from memory. For one thread at a time.
class ArchiveSource {
 public:
  explicit ArchiveSource(ObjectReader reader) : reader_(std::move(reader)) {}
  /// The options with which the object is to be opened.
  static ObjectReaderOptions ReaderOptions(ObjectReaderOptions options);

  /// Fetches what is small. kUndecodable where the object is no archive, kCorrupted where a CRC-32 differs.
  Result<void> Begin();

  /// Fills `into` and returns how many bytes there were. After a failure, which is kept, none: libtorch gives up then.
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
