#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gcsflux/formats.h"

namespace gcsflux::internal {

/// One record of a zip archive, as its directory tells it.
struct ZipEntry {
  std::string_view name = {};  ///< As long as the directory lives.
  std::uint64_t header_offset = 0;
  std::uint64_t size = 0;   ///< Stored and unpacked: they are the same where `method` is 0.
  std::uint64_t limit = 0;  ///< Where the next record's header, or the directory, begins: the data ends before.
  std::uint32_t crc32 = 0;
  std::uint16_t method = 0;  ///< 0 is stored.
  std::uint16_t flags = 0;
};

/// The directory of a zip archive: zip64 or not, on one disk, without gaps between it and the archive's end.
///
/// Everything is compared before it is believed: counts and lengths with the bytes that are there, the records' places
/// with each other, names with each other. What does not agree is kUndecodable, whole. Thread-safe once read.
class ZipDirectory {
 public:
  /// One read of the archive's end, and one more where the directory is longer than 256 KiB.
  static Result<ZipDirectory> Read(const ByteSource& source);

  [[nodiscard]] const std::vector<ZipEntry>& entries() const { return entries_; }
  /// Null where there is no such record.
  [[nodiscard]] const ZipEntry* Find(std::string_view name) const;

 private:
  Result<void> Parse(const ByteSource& source, std::uint64_t directory_offset, std::uint64_t count);
  Result<void> CheckPlaces(const ByteSource& source, std::uint64_t directory_offset);
  Result<void> IndexNames(const ByteSource& source, std::uint64_t directory_offset);

  std::unique_ptr<std::string> bytes_;  // Its address stays when the directory is moved.
  std::vector<ZipEntry> entries_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
};

/// Where a record's bytes are. Reads its local header, which must agree with the directory; a record that is compressed
/// or encrypted is refused by name.
Result<FileRange> LocateRecord(const ByteSource& source, const ZipEntry& entry);
/// Several, by one ReadAll().
Result<std::vector<FileRange>> LocateRecords(const ByteSource& source, std::span<const ZipEntry* const> entries);

/// kCorrupted where the CRC-32 of a record's data, which begin at `begin`, is another one than its own.
Result<void> CompareCrc32(const ByteSource& source, const ZipEntry& entry, std::uint64_t begin, std::uint32_t crc32);

/// A part of a record, [begin, end) within it, and where it goes: memory of that length.
struct PieceRead {
  const ZipEntry* entry = nullptr;
  FileRange piece = {};
  std::span<std::byte> into = {};
};

/// Reads them by one ReadAll(), where the records are aligned as PyTorch's are, to `alignment`, and by two otherwise.
/// Whole records are compared with their CRC-32.
Result<void> ReadPieces(const ByteSource& source, std::span<const PieceRead> pieces, std::uint64_t alignment);

/// A whole record, compared with its CRC-32: kCorrupted where it differs. One read, where header and data are as usual.
Result<std::string> ReadRecord(const ByteSource& source, const ZipEntry& entry);

/// Several, likewise; small ones that lie close together are read at once.
Result<std::vector<std::string>> ReadRecords(const ByteSource& source, std::span<const ZipEntry* const> entries);

}  // namespace gcsflux::internal
