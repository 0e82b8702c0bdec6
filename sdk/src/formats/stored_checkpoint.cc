#include "gcsflux/checkpoints/stored_checkpoint.h"

#include <algorithm>
#include <array>

#include "formats/bytes/format_error.h"
#include "formats/bytes/little_endian.h"
#include "formats/cached_ends.h"
#include "formats/distributed_files.h"
#include "formats/safetensors/safetensors_types.h"
#include "formats/safetensors_files.h"
#include "formats/state_json.h"
#include "formats/torch_file.h"
#include "formats/torch_records.h"
#include "formats/zip/zip_layout.h"

namespace gcsflux {
namespace internal {
namespace {

constexpr std::size_t kFirstBytes = 64;

bool HasHeaderOfSafetensors(std::string_view first) {
  return first.size() >= 9 && first[8] == '{' && FromLittleEndian<std::uint64_t>(first) <= kMostHeaderBytes;
}

bool IsJsonObject(std::string_view first) {
  const std::size_t begin = first.find_first_not_of(" \t\r\n");
  if (begin == first.npos || first[begin] != '{') return false;
  const std::size_t next = first.find_first_not_of(" \t\r\n", begin + 1);
  return next == first.npos || first[next] == '"' || first[next] == '}';
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

Result<SafetensorsFiles> OpenFiles(std::string name, std::vector<ByteSource> files) {
  std::vector<SafetensorsHeader> headers;
  for (const ByteSource& file : files) {
    auto header = ReadSafetensorsHeader(file);
    if (!header) return header.error();
    headers.push_back(*std::move(header));
  }
  return SafetensorsFiles::Open(std::move(name), std::move(files), std::move(headers));
}

StoredCheckpoint Stored(SafetensorsFiles files) {
  return StoredCheckpoint(std::make_shared<const SafetensorsFiles>(std::move(files)));
}

Result<StoredCheckpoint> OpenIndex(const ByteSource& source, const OpenShards& open_shards) {
  const auto index = ReadSafetensorsIndex(source);
  if (!index) return index.error();
  if (!open_shards) return Undecodable(source.name, "", 0, "it is an index; open it by OpenCheckpoint()");
  auto sources = open_shards(index->Files(), true);
  if (!sources) return sources.error();
  if (sources->empty()) return Undecodable(source.name, "", 0, "the index names no file");
  auto files = OpenFiles(source.name, *std::move(sources));
  if (!files) return files.error();
  if (auto checked = CheckWeightMap(source.name, *index, *files); !checked) return checked.error();
  files->SetFormat(CheckpointFormat::kSafetensorsIndex);
  return Stored(*std::move(files));
}

Result<StoredCheckpoint> OpenDistributed(ByteSource source, const OpenShards& open_shards) {
  std::string pickle(static_cast<std::size_t>(source.size), '\0');
  if (auto read = source.read_at(0, std::as_writable_bytes(std::span(pickle))); !read) return read.error();
  auto metadata = ParseDistributedMetadata(std::move(pickle), source.name);
  if (!metadata) return metadata.error();
  if (!open_shards) {
    return Undecodable(source.name, "", 0, "it is the metadata of a folder; open the folder by OpenCheckpoint()");
  }
  auto files = open_shards(metadata->files, false);
  if (!files) {
    const Error& why = files.error();
    return Error{why.code, source.name + " names a file that cannot be opened: " + why.message};
  }
  auto opened = DistributedFiles::Open(*std::move(metadata), *std::move(files), std::move(source));
  if (!opened) return opened.error();
  return StoredCheckpoint(std::make_shared<const DistributedFiles>(*std::move(opened)));
}

// A file of slices holds several files of torch.save. None of them is the whole file.
Error WhyNoTorchFile(const std::string& name, Error error) {
  if (error.code == ErrorCode::kUndecodable && name.ends_with(kDistributedSuffix)) {
    error.message += "; it is a part of a distributed checkpoint: open its folder, with its '/'";
  }
  return error;
}

template <class Values>
auto FindNamed(const Values& values, std::string_view name) {
  return std::ranges::find_if(values, [&](const auto& value) { return value.name == name; });
}

}  // namespace

CheckpointFormat DetectFormat(std::span<const std::byte> first_bytes) {
  const std::string_view first(reinterpret_cast<const char*>(first_bytes.data()), first_bytes.size());
  // An archive without records begins with its end record.
  if (first.starts_with(zip::kLocalSignature) || first.starts_with(zip::kEndSignature))
    return CheckpointFormat::kOtherZip;
  if (IsDistributedMetadata(first)) return CheckpointFormat::kDistributed;
  if (IsOldTorchFile(first)) return CheckpointFormat::kOldTorchFile;
  if (HasHeaderOfSafetensors(first)) return CheckpointFormat::kSafetensors;
  return IsJsonObject(first) ? CheckpointFormat::kSafetensorsIndex : CheckpointFormat::kUnknown;
}

Result<StoredCheckpoint> OpenFileOrIndex(ByteSource source, const OpenShards& open_shards) {
  auto kept = WithCachedEnds(std::move(source));
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
  if (format == CheckpointFormat::kDistributed) return OpenDistributed(*std::move(kept), open_shards);
  if (format != CheckpointFormat::kOtherZip) {
    const bool is_old = format == CheckpointFormat::kOldTorchFile;
    return Undecodable(
        kept->name, "", 0,
        std::string(
            is_old ? kOldTorchFile
                   : "it is not a checkpoint of torch.save, torch.distributed.checkpoint, libtorch or safetensors"));
  }
  const std::string name = kept->name;
  auto file = TorchFile::Open(*std::move(kept));
  if (!file) return WhyNoTorchFile(name, file.error());
  return StoredCheckpoint(std::make_shared<const TorchFile>(*std::move(file)));
}

Result<StoredCheckpoint> OpenSafetensorsFiles(std::string name, std::vector<ByteSource> files) {
  if (files.empty()) return Error{ErrorCode::kNotFound, name + ": it holds no file of safetensors"};
  auto opened = OpenFiles(std::move(name), std::move(files));
  return opened ? Stored(*std::move(opened)) : Result<StoredCheckpoint>(opened.error());
}

Result<StoredCheckpoint> OpenSafetensorsFiles(std::string name, std::vector<ByteSource> files,
                                              std::vector<SafetensorsHeader> headers) {
  auto opened = SafetensorsFiles::Open(std::move(name), std::move(files), std::move(headers));
  return opened ? Stored(*std::move(opened)) : Result<StoredCheckpoint>(opened.error());
}

}  // namespace internal

StoredCheckpoint::StoredCheckpoint(std::shared_ptr<const internal::CheckpointReader> reader)
    : reader_(std::move(reader)) {}

Result<StoredCheckpoint> StoredCheckpoint::Open(ByteSource source) {
  return internal::OpenFileOrIndex(std::move(source), {});
}

CheckpointFormat StoredCheckpoint::format() const { return reader_->format(); }
const std::string& StoredCheckpoint::name() const { return reader_->name(); }
const std::vector<StoredTensor>& StoredCheckpoint::tensors() const { return reader_->tensors(); }
const std::vector<RefusedValue>& StoredCheckpoint::refused() const { return reader_->refused(); }
const std::vector<std::pair<std::string, std::string>>& StoredCheckpoint::metadata() const {
  return reader_->metadata();
}

std::uint64_t StoredCheckpoint::size() const {
  std::uint64_t size = 0;
  for (const ByteSource& file : reader_->files()) size += file.size;
  return size;
}

Result<StoredTensor> StoredCheckpoint::Find(std::string_view name) const {
  const auto found = internal::FindNamed(tensors(), name);
  const std::string shown = internal::Shown(std::string(name));
  if (found == tensors().end()) {
    const auto why = internal::FindNamed(refused(), name);
    if (why == refused().end()) return Error{ErrorCode::kNotFound, this->name() + ": it has no tensor " + shown};
    return internal::Undecodable(this->name(), reader_->values_record(), 0, shown + ": " + why->why);
  }
  const auto has_name = [&](const StoredTensor& tensor) { return tensor.name == name; };
  if (std::find_if(found + 1, tensors().end(), has_name) == tensors().end()) return *found;
  return Error{ErrorCode::kInvalidArgument,
               this->name() + ": two tensors have the name " + shown + "; take them from tensors()"};
}

std::optional<std::uint32_t> StoredCheckpoint::Crc32c(const StoredTensor& tensor) const {
  return reader_->Crc32c(tensor.layout.storage);
}

Result<std::string> StoredCheckpoint::ReadValue(std::string_view name) const {
  const auto value = reader_->ReadValue(name);
  return value ? Result<std::string>(internal::ValueAsJson(*value, name)) : value.error();
}

Result<void> StoredCheckpoint::ReadTensors(std::span<const TensorRead> reads) const {
  return reader_->ReadTensors(reads);
}
Result<void> StoredCheckpoint::ReadTensor(const StoredTensor& tensor, std::span<std::byte> into) const {
  const TensorRead one{&tensor, into};
  return ReadTensors({&one, 1});
}

Result<bool> StoredCheckpoint::VerifyWhole() const {
  for (const ByteSource& source : reader_->files()) {
    if (!source.verify_whole) return false;
    if (auto verified = source.verify_whole(); !verified) return verified.error();
  }
  return true;
}

}  // namespace gcsflux
