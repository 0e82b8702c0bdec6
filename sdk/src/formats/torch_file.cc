#include "gcsflux/checkpoints/torch_file.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/crc32.h"
#include "formats/bytes/format_error.h"
#include "formats/bytes/make_room.h"
#include "formats/bytes/storage_pieces.h"
#include "formats/checkpoint_index.h"
#include "formats/torch_records.h"
#include "formats/zip/zip_layout.h"

namespace gcsflux {

using internal::Undecodable;
using internal::ZipDirectory;
using internal::ZipEntry;

enum class TorchFile::Kind : std::uint8_t { kTorchFile, kLibtorchArchive };

struct TorchFile::Contents {
  Kind kind;
  ByteSource source;
  ZipDirectory directory;
  std::string pickle_record;
  std::uint64_t alignment;  // Of the storages.
  internal::PickleReader reader;
  internal::CheckpointIndex index;
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
  if (internal::IsOldTorchFile(first)) return Undecodable(source.name, "", 0, std::string(internal::kOldTorchFile));
  return error;
}

struct OpenedZip {
  ZipDirectory directory;
  internal::TorchRecords records;
};

Result<OpenedZip> OpenZip(const ByteSource& source) {
  auto directory = ZipDirectory::Read(source);
  if (!directory) {
    if (directory.error().code != ErrorCode::kUndecodable) return directory.error();
    return NoTorchFile(source, directory.error());
  }
  auto records = internal::FindTorchRecords(*directory);
  if (!records) return Undecodable(source.name, "", 0, "the zip archive holds no data.pkl; PyTorch did not write it");
  return OpenedZip{*std::move(directory), *std::move(records)};
}

// The records that are read when a file is opened.
struct Texts {
  std::string pickle;
  std::uint64_t alignment = internal::zip::kUsualAlignment;
};

Result<Texts> ReadTexts(const ByteSource& source, const internal::TorchRecords& records) {
  std::vector<const ZipEntry*> wanted = {records.pickle};
  for (const ZipEntry* entry : {records.byte_order, records.alignment}) {
    if (entry != nullptr) wanted.push_back(entry);
  }
  auto read = internal::ReadRecords(source, wanted);
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
std::optional<std::string> WhyNoRecord(const internal::PickledStorage& storage, const ZipEntry* record) {
  if (record == nullptr) return "the record of its storage " + internal::Shown(storage.key) + " is missing";
  if (record->size == storage.bytes) return std::nullopt;
  return "its storage " + internal::Shown(storage.key) + " should have " + std::to_string(storage.bytes) +
         " bytes, and its record has " + std::to_string(record->size);
}

}  // namespace

TorchFile::TorchFile(std::shared_ptr<const Contents> contents) : contents_(std::move(contents)) {}

Result<TorchFile> TorchFile::Open(ByteSource source) { return OpenAs(Kind::kTorchFile, std::move(source)); }

Result<TorchFile> TorchFile::OpenLibtorchArchive(ByteSource source) {
  return OpenAs(Kind::kLibtorchArchive, std::move(source));
}

Result<TorchFile> TorchFile::OpenAny(ByteSource source) { return OpenAs(std::nullopt, std::move(source)); }

Result<TorchFile> TorchFile::OpenAs(std::optional<Kind> asked, ByteSource source) {
  auto zip = OpenZip(source);
  if (!zip) return zip.error();
  const internal::TorchRecords records = zip->records;
  const Kind kind = records.has_code ? Kind::kLibtorchArchive : Kind::kTorchFile;
  if (kind != asked.value_or(kind)) {
    return Undecodable(source.name, "", 0,
                       records.has_code
                           ? "it is an archive of libtorch or TorchScript and no file of torch.save; open it "
                             "with OpenLibtorchArchive()"
                           : "it is a file of torch.save and no archive of libtorch; open it with Open()");
  }
  auto texts = ReadTexts(source, records);
  if (!texts) return texts.error();
  const std::string pickle_record(records.pickle->name);
  auto graph = internal::PickleGraph::Parse(std::move(texts->pickle), source.name, pickle_record);
  if (!graph) return graph.error();
  using Objects = internal::PickleReader::Objects;
  const auto objects = kind == Kind::kTorchFile ? Objects::kRefuse : Objects::kReadScriptObjects;
  auto contents = std::make_shared<Contents>(Contents{.kind = kind,
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
  internal::MemoryAllowance allowance(3 * contents.source.size + (6 << 20));
  if (!contents.reader.IndexStorages(allowance)) {
    return Undecodable(file, contents.pickle_record, 0,
                       "the pickle names more storages than a file of its length should");
  }
  for (const internal::PickledStorage& storage : contents.reader.storages()) {
    const ZipEntry* const record = contents.directory.Find(prefix + "/data/" + storage.key);
    contents.storages.push_back({.key = storage.key, .bytes = storage.bytes});
    contents.storage_records.push_back(record);
  }
  auto index = internal::IndexTensors(contents.reader, allowance);
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

bool TorchFile::is_libtorch_archive() const { return contents_->kind == Kind::kLibtorchArchive; }
const ByteSource& TorchFile::source() const { return contents_->source; }
const std::vector<StoredTensor>& TorchFile::tensors() const { return contents_->index.tensors; }
const std::vector<StoredStorage>& TorchFile::storages() const { return contents_->storages; }
const std::vector<RefusedValue>& TorchFile::refused() const { return contents_->index.refused; }

Result<StoredTensor> TorchFile::Find(std::string_view name) const {
  const auto is_it = [&](const auto& value) { return value.name == name; };
  const auto found = std::find_if(tensors().begin(), tensors().end(), is_it);
  if (found == tensors().end()) {
    const auto why = std::find_if(refused().begin(), refused().end(), is_it);
    const std::string shown = internal::Shown(std::string(name));
    if (why == refused().end())
      return Error{ErrorCode::kNotFound, contents_->source.name + ": it has no tensor " + shown};
    return Undecodable(contents_->source.name, contents_->pickle_record, 0, shown + ": " + why->why);
  }
  if (std::find_if(found + 1, tensors().end(), is_it) == tensors().end()) return *found;
  return Error{ErrorCode::kInvalidArgument, contents_->source.name + ": two tensors have the name " +
                                                internal::Shown(std::string(name)) + "; take them from tensors()"};
}

Result<pickled::Value> TorchFile::ReadValue(std::string_view name) const {
  const std::string shown = internal::Shown(std::string(name));
  const auto id = internal::FindValue(contents_->reader, name);
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

Result<FileRange> TorchFile::LocateStorage(std::size_t storage) const {
  const auto record = RecordOf(storage);
  if (!record) return record.error();
  return internal::LocateRecord(contents_->source, **record);
}

Result<void> TorchFile::ReadStorage(std::size_t storage, std::span<std::byte> into) const {
  const StorageRead one{storage, into};
  return ReadStorages({&one, 1});
}

Result<void> TorchFile::ReadStorages(std::span<const StorageRead> reads) const {
  std::vector<internal::PieceRead> pieces;
  for (const StorageRead& read : reads) {
    const auto record = RecordOf(read.storage);
    if (!record) return record.error();
    if (read.into.size() != (*record)->size) {
      return Error{ErrorCode::kInvalidArgument, contents_->source.name + ": storage " + std::to_string(read.storage) +
                                                    " has " + std::to_string((*record)->size) + " bytes"};
    }
    pieces.push_back({*record, {0, (*record)->size}, read.into});
  }
  return internal::ReadPieces(contents_->source, pieces, contents_->alignment);
}

Result<void> TorchFile::StreamStorage(std::size_t storage, const ByteSink& sink) const {
  const auto record = RecordOf(storage);
  if (!record) return record.error();
  const auto range = internal::LocateRecord(contents_->source, **record);
  if (!range) return range.error();
  std::uint32_t checksum = 0;
  const ByteSink counted = [&](std::span<const std::byte> bytes) {
    checksum = internal::ExtendCrc32(checksum, bytes);
    return sink(bytes);
  };
  if (auto read = internal::StreamRange(contents_->source, *range, counted); !read) return read;
  return internal::CompareCrc32(contents_->source, **record, range->begin, checksum);
}

Result<void> TorchFile::ReadTensor(const StoredTensor& tensor, std::span<std::byte> into) const {
  const TensorRead one{&tensor, into};
  return ReadTensors({&one, 1});
}

Result<FileRange> TorchFile::CheckedTouch(const TensorRead& read, std::uint64_t storage_bytes) const {
  const TensorLayout& layout = read.tensor->layout;
  const auto touched = TouchedBytes(layout, storage_bytes);
  const auto count = ElementCount(layout.shape);
  const std::size_t element = ElementBytes(layout.dtype);
  if (touched && count && read.into.size() / element == *count && read.into.size() % element == 0) return *touched;
  return Error{ErrorCode::kInvalidArgument, contents_->source.name + ": the memory for " +
                                                internal::Shown(read.tensor->name) +
                                                " has another length than its elements"};
}

Result<void> TorchFile::ReadTensors(std::span<const TensorRead> reads) const {
  std::vector<internal::PieceRead> pieces;
  std::vector<std::string> gathered(reads.size());  // Empty if the elements are read directly into their destination.
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const TensorLayout& layout = reads[i].tensor->layout;
    const auto record = RecordOf(layout.storage);
    if (!record) return record.error();
    const auto touched = CheckedTouch(reads[i], (*record)->size);
    if (!touched) return touched.error();
    if (reads[i].into.empty()) continue;
    std::span<std::byte> into = reads[i].into;
    if (layout.strides != ContiguousStrides(layout.shape) || touched->size() != into.size()) {
      auto room = internal::MakeRoom(touched->size(), internal::Shown(reads[i].tensor->name));
      if (!room) return room.error();
      gathered[i] = *std::move(room);
      into = std::as_writable_bytes(std::span(gathered[i]));
    }
    pieces.push_back({*record, *touched, into});
  }
  if (auto read = internal::ReadPieces(contents_->source, pieces, contents_->alignment); !read) return read;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (!gathered[i].empty()) internal::GatherElements(reads[i].tensor->layout, gathered[i], reads[i].into);
  }
  return {};
}

}  // namespace gcsflux
