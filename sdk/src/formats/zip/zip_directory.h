#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/bytes/tensor_layout.h"

namespace gcsflux::internal {

/// One record of a zip archive, from the directory.
struct ZipEntry {
  std::string_view name = {};  ///< Valid as long as the directory.
  std::uint64_t header_offset = 0;
  std::uint64_t size = 0;   ///< Stored and uncompressed size; they are the same if `method` is 0.
  std::uint64_t limit = 0;  ///< The start of the next record's header, or of the directory: the data ends before it.
  std::uint32_t crc32 = 0;
  std::uint16_t method = 0;  ///< 0 is stored.
  std::uint16_t flags = 0;
};

/// The directory of a zip archive: with or without zip64, on one disk, without gaps between it and the archive's end.
///
/// Everything is checked: counts and lengths against the file's bytes, the records' places against each other, names
/// against each other. Any contradiction makes the whole archive kUndecodable. Thread-safe after reading.
class ZipDirectory {
 public:
  /// Takes one read of the archive's end, and another one if the directory is longer than 256 KiB.
  static Result<ZipDirectory> Read(const ByteSource& source);

  [[nodiscard]] const std::vector<ZipEntry>& entries() const { return entries_; }
  /// Null if there is no such record.
  [[nodiscard]] const ZipEntry* Find(std::string_view name) const;

 private:
  Result<void> Parse(const ByteSource& source, std::uint64_t directory_offset, std::uint64_t count);
  Result<void> CheckPlaces(const ByteSource& source, std::uint64_t directory_offset);
  Result<void> IndexNames(const ByteSource& source, std::uint64_t directory_offset);

  std::unique_ptr<std::string> bytes_;  // Its address is stable when the directory is moved.
  std::vector<ZipEntry> entries_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
};

/// The place of a record's bytes. Reads its local header, which must agree with the directory. A record that is
/// compressed or encrypted is refused by name.
Result<FileRange> LocateRecord(const ByteSource& source, const ZipEntry& entry);
/// Several, with one ReadAll().
Result<std::vector<FileRange>> LocateRecords(const ByteSource& source, std::span<const ZipEntry* const> entries);

/// Returns kCorrupted if the data, which begin at `begin`, do not match the record's CRC-32.
Result<void> CompareCrc32(const ByteSource& source, const ZipEntry& entry, std::uint64_t begin, std::uint32_t crc32);

/// A part of a record, [begin, end) within it, and its destination, of that length.
struct ChunkRead {
  const ZipEntry* entry = nullptr;
  FileRange chunk = {};
  std::span<std::byte> into = {};
};

/// Reads the chunks with one ReadAll() if the records are aligned to `alignment` as PyTorch's are, otherwise with two.
/// Whole records are compared with their CRC-32.
Result<void> ReadChunks(const ByteSource& source, std::span<const ChunkRead> chunks, std::uint64_t alignment);

/// A whole record. Returns kCorrupted if it does not match its CRC-32. Usually one read for header and data.
Result<std::string> ReadRecord(const ByteSource& source, const ZipEntry& entry);

/// Several records; small ones that are close together are read at once.
Result<std::vector<std::string>> ReadRecords(const ByteSource& source, std::span<const ZipEntry* const> entries);

}  // namespace gcsflux::internal
