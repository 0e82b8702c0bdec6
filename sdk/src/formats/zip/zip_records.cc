#include <algorithm>
#include <utility>

#include "base/crc32.h"
#include "formats/bytes/format_error.h"
#include "formats/bytes/little_endian.h"
#include "formats/bytes/source_reads.h"
#include "formats/zip/zip_directory.h"
#include "formats/zip/zip_layout.h"

namespace gcsflux::internal {
namespace {

constexpr std::uint64_t kUsualExtra = 160;        // PyTorch's padding to 64 bytes, after a zip64 field.
constexpr std::uint64_t kMostTogether = 1 << 20;  // Records that are read at once, with the bytes between them.
constexpr std::uint64_t kMostBetween = 64 << 10;

Error Broken(const ByteSource& source, const ZipEntry& entry, const std::string& why) {
  return Undecodable(source.name, std::string(entry.name), entry.header_offset, why);
}

Result<void> CheckReadable(const ByteSource& source, const ZipEntry& entry) {
  if ((entry.flags & zip::kEncryptedFlag) != 0)
    return Broken(source, entry, "the record is encrypted; save it without");
  if (entry.method == 0) return {};
  return Broken(source, entry,
                "the record is compressed (method " + std::to_string(entry.method) +
                    "), which PyTorch's are not; pack the archive again without compression");
}

bool SizesAgree(std::string_view header, const ZipEntry& entry) {
  const auto crc32 = FromLittleEndian<std::uint32_t>(header.substr(14));
  const auto stored = FromLittleEndian<std::uint32_t>(header.substr(18));
  const auto size = FromLittleEndian<std::uint32_t>(header.substr(22));
  const auto agrees = [&](std::uint32_t small) {
    return small == entry.size || (entry.size >= zip::kMost32 && small == zip::kMost32);
  };
  if ((entry.flags & zip::kDescriptorFlag) == 0) return crc32 == entry.crc32 && agrees(stored) && agrees(size);
  const auto is_later = [&](std::uint32_t small) { return small == 0 || small == zip::kMost32 || agrees(small); };
  return (crc32 == 0 || crc32 == entry.crc32) && is_later(stored) && is_later(size);
}

// A wrong guess costs one more read.
FileRange GuessData(const ZipEntry& entry, std::uint64_t alignment) {
  const std::uint64_t begin = zip::AlignedData(entry.header_offset, entry.name.size(), entry.size, alignment);
  return {begin, begin + entry.size};
}

// The place of the data, from the local header; `header` contains at least its fixed part and the name.
Result<FileRange> ParseHeader(const ByteSource& source, const ZipEntry& entry, std::string_view header) {
  if (!header.starts_with(zip::kLocalSignature)) return Broken(source, entry, "there is no local header");
  const std::size_t name = FromLittleEndian<std::uint16_t>(header.substr(26));
  const std::size_t extra = FromLittleEndian<std::uint16_t>(header.substr(28));
  const bool is_same = name == entry.name.size() && header.substr(zip::kLocalBytes, name) == entry.name &&
                       FromLittleEndian<std::uint16_t>(header.substr(6)) == entry.flags &&
                       FromLittleEndian<std::uint16_t>(header.substr(8)) == entry.method;
  if (!is_same || !SizesAgree(header, entry)) {
    return Broken(source, entry, "the record's local header is not what the directory says of it");
  }
  const std::uint64_t begin = entry.header_offset + zip::kLocalBytes + name + extra;
  if (begin > entry.limit || entry.size > entry.limit - begin) {
    return Broken(source, entry, "the record reaches into what is behind it");
  }
  return FileRange{begin, begin + entry.size};
}

// The range to read to get header and data at once.
FileRange UsualRange(const ZipEntry& entry) {
  // Within the limit that the directory gives.
  const std::uint64_t least = zip::kLocalBytes + entry.name.size() + entry.size;
  return {entry.header_offset, entry.header_offset + std::min(entry.limit - entry.header_offset, least + kUsualExtra)};
}

Result<std::string> ReadRange(const ByteSource& source, FileRange range) {
  std::string bytes(static_cast<std::size_t>(range.size()), '\0');
  if (auto read = source.read_at(range.begin, std::as_writable_bytes(std::span(bytes))); !read) return read.error();
  return bytes;
}

Result<void> CheckCrc32(const ByteSource& source, const ZipEntry& entry, std::uint64_t begin,
                        std::span<const std::byte> data) {
  return CompareCrc32(source, entry, begin, ExtendCrc32(0, data));
}

// The record in `bytes`, which are the file's from `offset` on, and contain at least its fixed header and name.
Result<std::string> TakeRecord(const ByteSource& source, const ZipEntry& entry, std::string bytes,
                               std::uint64_t offset) {
  const auto skipped = static_cast<std::size_t>(entry.header_offset - offset);
  const auto range = ParseHeader(source, entry, std::string_view(bytes).substr(skipped));
  if (!range) return range.error();
  std::string data;
  if (range->end - offset <= bytes.size()) {
    data = std::move(bytes);
    data.resize(static_cast<std::size_t>(range->end - offset));
    data.erase(0, static_cast<std::size_t>(range->begin - offset));
  } else {
    bytes = {};
    auto read = ReadRange(source, *range);  // The extra field is long.
    if (!read) return read.error();
    data = *std::move(read);
  }
  if (auto checked = CheckCrc32(source, entry, range->begin, std::as_bytes(std::span(data))); !checked)
    return checked.error();
  return data;
}

// The local headers of records, which are read by one ReadAll() and then parsed.
class LocalHeaders {
 public:
  LocalHeaders(const ByteSource& source, std::vector<const ZipEntry*> entries)
      : source_(source), entries_(std::move(entries)) {}

  // Adds the necessary reads.
  Result<void> AddReads(std::vector<RangeRead>& reads) {
    headers_.reserve(entries_.size());
    for (const ZipEntry* entry : entries_) {
      if (auto readable = CheckReadable(source_, *entry); !readable) return readable;
      headers_.emplace_back(zip::kLocalBytes + entry->name.size(), '\0');
      reads.push_back({entry->header_offset, std::as_writable_bytes(std::span(headers_.back()))});
    }
    return {};
  }

  Result<std::vector<FileRange>> Parse() const {
    std::vector<FileRange> ranges;
    ranges.reserve(entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const auto range = ParseHeader(source_, *entries_[i], headers_[i]);
      if (!range) return range.error();
      ranges.push_back(*range);
    }
    return ranges;
  }

 private:
  const ByteSource& source_;
  std::vector<const ZipEntry*> entries_;
  std::vector<std::string> headers_;
};

// Reads chunks, and sums those that are whole records.
class Chunks {
 public:
  Chunks(const ByteSource& source, std::span<const ChunkRead> chunks)
      : source_(source), chunks_(chunks), sums_(chunks.size()) {}

  void AddRead(std::size_t i, std::uint64_t data) {
    const ChunkRead& chunk = chunks_[i];
    if (chunk.into.empty()) return;
    reads_.push_back({data + chunk.chunk.begin, chunk.into});
    read_chunks_.push_back(i);
    if (IsWhole(chunk)) has_whole_ = true;
  }

  // Does the reads that were added, and `others` at the same time.
  Result<void> Read(std::span<const RangeRead> others) {
    reads_.insert(reads_.end(), others.begin(), others.end());
    if (has_whole_) {
      const auto sums = ReadAllSummed(source_, reads_, Checksum::kCrc32);
      if (!sums) return sums.error();
      for (std::size_t i = 0; i < read_chunks_.size(); ++i) sums_[read_chunks_[i]] = (*sums)[i];
    } else if (auto read = ReadAll(source_, reads_); !read) {
      return read;
    }
    reads_.clear();
    read_chunks_.clear();
    return {};
  }

  // Returns the first damaged one.
  [[nodiscard]] Result<void> Check(std::span<const FileRange> ranges) const {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      if (!IsWhole(chunks_[i])) continue;
      auto compared = CompareCrc32(source_, *chunks_[i].entry, ranges[i].begin, sums_[i]);
      if (!compared) return compared;
    }
    return {};
  }

 private:
  static bool IsWhole(const ChunkRead& chunk) { return chunk.chunk.size() == chunk.entry->size; }

  const ByteSource& source_;
  const std::span<const ChunkRead> chunks_;
  std::vector<std::uint32_t> sums_;  // By chunk.
  std::vector<RangeRead> reads_;
  std::vector<std::size_t> read_chunks_;  // The chunk of each of the first reads.
  bool has_whole_ = false;
};

}  // namespace

Result<void> CompareCrc32(const ByteSource& source, const ZipEntry& entry, std::uint64_t begin, std::uint32_t crc32) {
  if (crc32 == entry.crc32) return {};
  return FormatError(ErrorCode::kCorrupted, source.name, std::string(entry.name), begin,
                     "the record's bytes do not have its CRC-32; the file is damaged: load another copy of it");
}

Result<std::vector<FileRange>> LocateRecords(const ByteSource& source, std::span<const ZipEntry* const> entries) {
  LocalHeaders headers(source, {entries.begin(), entries.end()});
  std::vector<RangeRead> reads;
  if (auto added = headers.AddReads(reads); !added) return added.error();
  if (auto read = ReadAll(source, reads); !read) return read.error();
  return headers.Parse();
}

Result<FileRange> LocateRecord(const ByteSource& source, const ZipEntry& entry) {
  const ZipEntry* const one = &entry;
  const auto ranges = LocateRecords(source, {&one, 1});
  if (!ranges) return ranges.error();
  return ranges->front();
}

Result<void> ReadChunks(const ByteSource& source, std::span<const ChunkRead> chunks, std::uint64_t alignment) {
  std::vector<const ZipEntry*> entries;
  for (const ChunkRead& chunk : chunks) entries.push_back(chunk.entry);
  LocalHeaders headers(source, std::move(entries));
  std::vector<RangeRead> header_reads;
  if (auto added = headers.AddReads(header_reads); !added) return added;
  // Guesses the data's places, so that one call of the source reads headers and data.
  std::vector<FileRange> guessed;
  Chunks to_read(source, chunks);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    guessed.push_back(GuessData(*chunks[i].entry, alignment));
    const bool fits = guessed[i].begin <= guessed[i].end && guessed[i].end <= chunks[i].entry->limit;
    if (fits) to_read.AddRead(i, guessed[i].begin);
  }
  if (auto read = to_read.Read(header_reads); !read) return read;
  const auto ranges = headers.Parse();
  if (!ranges) return ranges.error();
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if ((*ranges)[i] != guessed[i]) to_read.AddRead(i, (*ranges)[i].begin);
  }
  if (auto read = to_read.Read({}); !read) return read;
  return to_read.Check(*ranges);
}

Result<std::string> ReadRecord(const ByteSource& source, const ZipEntry& entry) {
  if (auto readable = CheckReadable(source, entry); !readable) return readable.error();
  auto bytes = ReadRange(source, UsualRange(entry));
  if (!bytes) return bytes.error();
  return TakeRecord(source, entry, *std::move(bytes), entry.header_offset);
}

Result<std::vector<std::string>> ReadRecords(const ByteSource& source, std::span<const ZipEntry* const> entries) {
  FileRange together{source.size, 0};
  std::uint64_t used = 0;
  for (const ZipEntry* entry : entries) {
    const FileRange range = UsualRange(*entry);
    together = {std::min(together.begin, range.begin), std::max(together.end, range.end)};
    used += std::min(range.size(), kMostTogether);
  }
  std::string bytes;
  const bool is_close =
      entries.size() > 1 && together.size() <= kMostTogether && together.size() - used <= kMostBetween;
  if (is_close) {
    auto read = ReadRange(source, together);
    if (!read) return read.error();
    bytes = *std::move(read);
  }
  std::vector<std::string> records;
  for (const ZipEntry* entry : entries) {
    if (auto readable = CheckReadable(source, *entry); !readable) return readable.error();
    auto record = is_close ? TakeRecord(source, *entry, bytes, together.begin) : ReadRecord(source, *entry);
    if (!record) return record.error();
    records.push_back(*std::move(record));
  }
  return records;
}

}  // namespace gcsflux::internal
