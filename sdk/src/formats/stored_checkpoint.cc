#include <algorithm>
#include <array>

#include "formats/bytes/format_error.h"
#include "formats/cached_ends.h"
#include "formats/safetensors_files.h"
#include "formats/torch_file.h"
#include "formats/torch_records.h"
#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/checkpoints/safetensors.h"

namespace gcsflux {

using internal::SafetensorsFiles;
using internal::Shown;
using internal::Undecodable;

namespace {

constexpr std::size_t kFirstBytes = 64;

Error NotRead(const std::string& file, CheckpointFormat format) {
  if (format == CheckpointFormat::kOldTorchFile) {
    return Undecodable(file, "", 0, std::string(internal::kOldTorchFile));
  }
  return Undecodable(file, "", 0, "it is not a checkpoint of torch.save, libtorch or safetensors");
}

// Checks that the files have the tensors of the index.
Result<void> CheckWeightMap(const std::string& file, const SafetensorsIndex& index, const SafetensorsFiles& files) {
  std::vector<std::string_view> names;
  for (const StoredTensor& tensor : files.tensors()) names.push_back(tensor.name);
  for (const RefusedValue& value : files.refused()) names.push_back(value.name);
  std::sort(names.begin(), names.end());
  for (const auto& [name, shard] : index.weight_map) {
    if (std::binary_search(names.begin(), names.end(), std::string_view(name))) continue;
    return Undecodable(file, "", 0, "the file " + Shown(shard) + " should have the tensor " + Shown(name));
  }
  return {};
}

template <class Iterator>
Iterator FindNamed(Iterator begin, Iterator end, std::string_view name) {
  return std::find_if(begin, end, [&](const auto& value) { return value.name == name; });
}

std::shared_ptr<const SafetensorsFiles> Shared(SafetensorsFiles files) {
  return std::make_shared<const SafetensorsFiles>(std::move(files));
}

}  // namespace

StoredCheckpoint::StoredCheckpoint(CheckpointFormat format, std::string name,
                                   std::shared_ptr<const internal::CheckpointReader> reader)
    : format_(format), name_(std::move(name)), reader_(std::move(reader)) {}

Result<StoredCheckpoint> StoredCheckpoint::Open(ByteSource source, const OpenShards& open_shards) {
  auto kept = internal::WithCachedEnds(std::move(source));
  if (!kept) return kept.error();
  std::array<std::byte, kFirstBytes> buffer{};
  const auto first =
      std::span(buffer).first(static_cast<std::size_t>(std::min<std::uint64_t>(kept->size, kFirstBytes)));
  if (auto read = kept->read_at(0, first); !read) return read.error();
  const CheckpointFormat format = DetectFormat(first);
  if (format == CheckpointFormat::kSafetensors) {
    std::string name = kept->name;
    return OpenSafetensorsFiles(std::move(name), {*std::move(kept)});
  }
  if (format == CheckpointFormat::kSafetensorsIndex) return OpenIndex(*kept, open_shards);
  if (format != CheckpointFormat::kOtherZip) return NotRead(kept->name, format);
  std::string name = kept->name;
  auto file = internal::TorchFile::Open(*std::move(kept));
  if (!file) return file.error();
  const CheckpointFormat of_zip = file->format();
  return StoredCheckpoint(of_zip, std::move(name), std::make_shared<const internal::TorchFile>(*std::move(file)));
}

Result<StoredCheckpoint> StoredCheckpoint::OpenSafetensorsFiles(std::string name, std::vector<ByteSource> files) {
  if (files.empty()) return Error{ErrorCode::kNotFound, name + ": it holds no file of safetensors"};
  auto opened = SafetensorsFiles::Open(name, std::move(files));
  if (!opened) return opened.error();
  return StoredCheckpoint(CheckpointFormat::kSafetensors, std::move(name), Shared(*std::move(opened)));
}

Result<StoredCheckpoint> StoredCheckpoint::OpenSafetensorsFiles(std::string name, std::vector<ByteSource> files,
                                                                std::vector<SafetensorsHeader> headers) {
  if (files.empty() || files.size() != headers.size()) {
    return Error{ErrorCode::kInvalidArgument, name + ": there must be one header for each file"};
  }
  auto opened = SafetensorsFiles::Open(name, std::move(files), std::move(headers));
  if (!opened) return opened.error();
  return StoredCheckpoint(CheckpointFormat::kSafetensors, std::move(name), Shared(*std::move(opened)));
}

Result<StoredCheckpoint> StoredCheckpoint::OpenIndex(const ByteSource& source, const OpenShards& open_shards) {
  const auto index = ReadSafetensorsIndex(source);
  if (!index) return index.error();
  if (!open_shards) return Undecodable(source.name, "", 0, "it is an index; open it by OpenCheckpoint()");
  auto sources = open_shards(index->Files());
  if (!sources) return sources.error();
  if (sources->empty()) return Undecodable(source.name, "", 0, "the index names no file");
  auto files = SafetensorsFiles::Open(source.name, *std::move(sources));
  if (!files) return files.error();
  if (auto checked = CheckWeightMap(source.name, *index, *files); !checked) return checked.error();
  return StoredCheckpoint(CheckpointFormat::kSafetensorsIndex, source.name, Shared(*std::move(files)));
}

CheckpointFormat StoredCheckpoint::format() const { return format_; }
const std::string& StoredCheckpoint::name() const { return name_; }
std::uint64_t StoredCheckpoint::size() const {
  std::uint64_t size = 0;
  for (const ByteSource& file : reader_->files()) size += file.size;
  return size;
}
const std::vector<StoredTensor>& StoredCheckpoint::tensors() const { return reader_->tensors(); }
const std::vector<StoredStorage>& StoredCheckpoint::storages() const { return reader_->storages(); }
const std::vector<RefusedValue>& StoredCheckpoint::refused() const { return reader_->refused(); }
const std::vector<std::pair<std::string, std::string>>& StoredCheckpoint::metadata() const {
  return reader_->metadata();
}

Result<StoredTensor> StoredCheckpoint::Find(std::string_view name) const {
  const auto found = FindNamed(tensors().begin(), tensors().end(), name);
  const std::string shown = Shown(std::string(name));
  if (found == tensors().end()) {
    const auto why = FindNamed(refused().begin(), refused().end(), name);
    if (why == refused().end()) return Error{ErrorCode::kNotFound, name_ + ": it has no tensor " + shown};
    return Undecodable(name_, reader_->values_record(), 0, shown + ": " + why->why);
  }
  if (FindNamed(found + 1, tensors().end(), name) == tensors().end()) return *found;
  return Error{ErrorCode::kInvalidArgument,
               name_ + ": two tensors have the name " + shown + "; take them from tensors()"};
}

bool StoredCheckpoint::IsVerifiable(std::size_t storage) const { return reader_->IsVerifiable(storage); }
std::optional<std::uint32_t> StoredCheckpoint::Crc32c(std::size_t storage) const { return reader_->Crc32c(storage); }
bool StoredCheckpoint::HasValues() const { return reader_->HasValues(); }
Result<pickled::Value> StoredCheckpoint::ReadValue(std::string_view name) const { return reader_->ReadValue(name); }

Result<void> StoredCheckpoint::ReadStorages(std::span<const StorageRead> reads) const {
  return reader_->ReadStorages(reads);
}
Result<void> StoredCheckpoint::ReadTensors(std::span<const TensorRead> reads) const {
  return reader_->ReadTensors(reads);
}
Result<void> StoredCheckpoint::ReadTensor(const StoredTensor& tensor, std::span<std::byte> into) const {
  const TensorRead one{&tensor, into};
  return ReadTensors({&one, 1});
}
Result<void> StoredCheckpoint::StreamStorage(std::size_t storage, const ByteSink& sink) const {
  return reader_->StreamStorage(storage, sink);
}

Result<bool> StoredCheckpoint::VerifyWhole() const {
  for (const ByteSource& source : reader_->files()) {
    if (!source.verify_whole) return false;
    if (auto verified = source.verify_whole(); !verified) return verified.error();
  }
  return true;
}

std::optional<StoredTensor> RowsOf(const StoredTensor& tensor, std::int64_t begin, std::int64_t end) {
  const TensorLayout& layout = tensor.layout;
  if (layout.shape.empty() || begin < 0 || begin > end || end > layout.shape.front()) return std::nullopt;
  StoredTensor rows = tensor;
  rows.layout.shape.front() = end - begin;
  if (begin == end) return rows;  // Behind the last row there may be no place.
  rows.layout.offset += static_cast<std::uint64_t>(begin) * static_cast<std::uint64_t>(layout.strides.front());
  return rows;
}

std::uint64_t TensorBytes(const TensorLayout& layout) {
  return ElementCount(layout.shape).value_or(0) * ElementBytes(layout.dtype);
}

}  // namespace gcsflux
