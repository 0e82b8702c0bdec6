#include "formats/torch_file.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/crc32.h"
#include "formats/bytes/format_error.h"
#include "formats/bytes/source_reads.h"
#include "formats/checkpoint_index.h"
#include "formats/torch_records.h"
#include "formats/zip/zip_layout.h"

namespace gcsflux::internal {

struct TorchFile::Contents {
  CheckpointFormat format;
  ByteSource source;
  ZipDirectory directory;
  std::string pickle_record;
  std::uint64_t alignment;  // Of the storages.
  PickleReader reader;
  CheckpointIndex index;
  std::vector<StoredStorage> storages;
  std::vector<const ZipEntry*> storage_records;  // Null if the record is missing, or has another length.
};

namespace {

constexpr std::string_view kBigEndian =
    "it was written on a big-endian machine; load it there, or with byteorder 'big' in Python, and save it on a "
    "little-endian one";

// The error of a file that is not one, after a look at its first bytes.
Error NoTorchFile(const ByteSource& source, Error error) {
  std::string first(static_cast<std::size_t>(std::min<std::uint64_t>(source.size, 64)), '\0');
  if (!source.read_at(0, std::as_writable_bytes(std::span(first))).ok()) return error;
  if (IsOldTorchFile(first)) return Undecodable(source.name, "", 0, std::string(kOldTorchFile));
  return error;
}

struct OpenedZip {
  ZipDirectory directory;
  TorchRecords records;
};

Result<OpenedZip> OpenZip(const ByteSource& source) {
  auto directory = ZipDirectory::Read(source);
  if (!directory) {
    if (directory.error().code != ErrorCode::kUndecodable) return directory.error();
    return NoTorchFile(source, directory.error());
  }
  auto records = FindTorchRecords(*directory);
  if (!records) return Undecodable(source.name, "", 0, "the zip archive holds no data.pkl; PyTorch did not write it");
  return OpenedZip{*std::move(directory), *std::move(records)};
}

// The records that are read when a file is opened.
struct Texts {
  std::string pickle;
  std::uint64_t alignment = zip::kUsualAlignment;
};

Result<Texts> ReadTexts(const ByteSource& source, const TorchRecords& records) {
  std::vector<const ZipEntry*> wanted = {records.pickle};
  for (const ZipEntry* entry : {records.byte_order, records.alignment}) {
    if (entry != nullptr) wanted.push_back(entry);
  }
  auto read = ReadRecords(source, wanted);
  if (!read) return read.error();
  Texts texts{.pickle = std::move(read->front())};
  const auto broken = [&](const ZipEntry& entry, const std::string& why) {
    return Undecodable(source.name, std::string(entry.name), entry.header_offset, why);
  };
  if (records.byte_order != nullptr && (*read)[1] != "little") {
    return broken(*records.byte_order,
                  (*read)[1] == "big" ? std::string(kBigEndian) : "the byte order is neither little nor big");
  }
  if (records.alignment == nullptr) return texts;
  const std::string& text = read->back();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), texts.alignment);
  constexpr std::uint64_t kMost = 1 << 30;
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  if (is_number && texts.alignment >= 1 && texts.alignment <= kMost) return texts;
  return broken(*records.alignment, "the alignment is not a number of bytes");
}

// Why the record of a tensor's storage does not match the pickle. Nothing if it does.
std::optional<std::string> WhyNoRecord(const PickledStorage& storage, const ZipEntry* record) {
  if (record == nullptr) return "the record of its storage " + Shown(storage.key) + " is missing";
  if (record->size == storage.bytes) return std::nullopt;
  return "its storage " + Shown(storage.key) + " should have " + std::to_string(storage.bytes) +
         " bytes, and its record has " + std::to_string(record->size);
}

}  // namespace

TorchFile::TorchFile(std::shared_ptr<const Contents> contents) : contents_(std::move(contents)) {}

Result<TorchFile> TorchFile::Open(ByteSource source) {
  auto zip = OpenZip(source);
  if (!zip) return zip.error();
  const TorchRecords records = zip->records;
  auto texts = ReadTexts(source, records);
  if (!texts) return texts.error();
  const std::string pickle_record(records.pickle->name);
  auto graph = PickleGraph::Parse(std::move(texts->pickle), source.name, pickle_record);
  if (!graph) return graph.error();
  using Objects = PickleReader::Objects;
  const auto format = records.has_code ? CheckpointFormat::kLibtorchArchive : CheckpointFormat::kTorchFile;
  const auto objects = records.has_code ? Objects::kReadScriptObjects : Objects::kRefuse;
  auto contents = std::make_shared<Contents>(Contents{.format = format,
                                                      .source = std::move(source),
                                                      .directory = std::move(zip->directory),
                                                      .pickle_record = pickle_record,
                                                      .alignment = texts->alignment,
                                                      .reader = {*std::move(graph), objects},
                                                      .index = {},
                                                      .storages = {},
                                                      .storage_records = {}});
  if (auto indexed = FillIndex(*contents, records.prefix); !indexed) return indexed.error();
  return TorchFile(std::move(contents));
}

Result<void> TorchFile::FillIndex(Contents& contents, const std::string& prefix) {
  const std::string& file = contents.source.name;
  MemoryAllowance allowance(3 * contents.source.size + (6 << 20));
  if (!contents.reader.IndexStorages(allowance)) {
    return Undecodable(file, contents.pickle_record, 0,
                       "the pickle names more storages than a file of its length should");
  }
  for (const PickledStorage& storage : contents.reader.storages()) {
    const ZipEntry* const record = contents.directory.Find(prefix + "/data/" + storage.key);
    contents.storages.push_back({.key = storage.key, .bytes = storage.bytes});
    contents.storage_records.push_back(record);
  }
  auto index = IndexTensors(contents.reader, allowance);
  if (!index) return Undecodable(file, contents.pickle_record, 0, index.error().message);
  // Tensors whose bytes are missing are refused when they are requested, like other refused values.
  std::vector<StoredTensor>& tensors = index->tensors;
  const auto is_missing = [&](const StoredTensor& tensor) {
    const std::size_t storage = tensor.layout.storage;
    const auto why = WhyNoRecord(contents.reader.storages()[storage], contents.storage_records[storage]);
    if (why) index->refused.push_back({.name = tensor.name, .why = *why});
    return why.has_value();
  };
  tensors.erase(std::remove_if(tensors.begin(), tensors.end(), is_missing), tensors.end());
  contents.index = *std::move(index);
  return {};
}

CheckpointFormat TorchFile::format() const { return contents_->format; }
const std::string& TorchFile::name() const { return contents_->source.name; }
std::span<const ByteSource> TorchFile::files() const { return {&contents_->source, 1}; }
const std::vector<StoredTensor>& TorchFile::tensors() const { return contents_->index.tensors; }
const std::vector<StoredStorage>& TorchFile::storages() const { return contents_->storages; }
const std::vector<RefusedValue>& TorchFile::refused() const { return contents_->index.refused; }
const std::vector<std::pair<std::string, std::string>>& TorchFile::metadata() const {
  static const auto& none = *new std::vector<std::pair<std::string, std::string>>();
  return none;
}
std::string TorchFile::values_record() const { return contents_->pickle_record; }

Result<pickled::Value> TorchFile::ReadValue(std::string_view name) const {
  const std::string shown = Shown(std::string(name));
  const auto id = FindValue(contents_->reader, name);
  if (!id) return Error{ErrorCode::kNotFound, contents_->source.name + ": it has no value " + shown};
  auto value = contents_->reader.Read(*id);
  std::string why;
  if (!value) {
    why = value.error().message;
  } else if (const auto* const refusal = value->As<pickled::Refused>()) {
    why = refusal->why;
  } else {
    return value;
  }
  return Undecodable(contents_->source.name, contents_->pickle_record, 0, shown + ": " + why);
}

Result<const ZipEntry*> TorchFile::RecordOf(std::size_t storage) const {
  if (storage >= contents_->storages.size()) {
    return Error{ErrorCode::kInvalidArgument,
                 contents_->source.name + ": it has no storage " + std::to_string(storage)};
  }
  const ZipEntry* const record = contents_->storage_records[storage];
  const auto why = WhyNoRecord(contents_->reader.storages()[storage], record);
  if (why) return Undecodable(contents_->source.name, contents_->pickle_record, 0, *why);
  return record;
}

Result<void> TorchFile::ReadRanges(std::span<const StorageRange> reads) const {
  std::vector<ChunkRead> chunks;
  for (const auto& [storage, range, into] : reads) {
    const auto record = RecordOf(storage);
    if (!record) return record.error();
    chunks.push_back({*record, range, into});
  }
  return ReadChunks(contents_->source, chunks, contents_->alignment);
}

Result<PlacedStorage> TorchFile::Locate(std::size_t storage) const {
  const auto record = RecordOf(storage);
  if (!record) return record.error();
  const auto range = LocateRecord(contents_->source, **record);
  if (!range) return range.error();
  return PlacedStorage{*range, (*record)->crc32};
}

Result<void> TorchFile::StreamStorage(std::size_t storage, const ByteSink& sink) const {
  const auto record = RecordOf(storage);
  if (!record) return record.error();
  const auto range = LocateRecord(contents_->source, **record);
  if (!range) return range.error();
  std::uint32_t checksum = 0;
  const ByteSink counted = [&](std::span<const std::byte> bytes) {
    checksum = ExtendCrc32(checksum, bytes);
    return sink(bytes);
  };
  if (auto read = StreamRange(contents_->source, *range, counted); !read) return read;
  return CompareCrc32(contents_->source, **record, range->begin, checksum);
}

}  // namespace gcsflux::internal
