#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "formats/bytes/format_error.h"
#include "formats/cached_ends.h"
#include "formats/safetensors_files.h"
#include "formats/state_json.h"
#include "formats/torch_records.h"
#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/checkpoints/safetensors.h"

namespace gcsflux {

using internal::SafetensorsFiles;
using internal::Shown;
using internal::Undecodable;

struct StoredCheckpoint::Contents {
  CheckpointFormat format = CheckpointFormat::kUnknown;
  std::string name;
  std::optional<TorchFile> torch;
  SafetensorsFiles safetensors;
};

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

template <class Values>
auto FindNamed(const Values& values, std::string_view name) {
  return std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.name == name; });
}

// Null if the metadata has no state of a run.
const std::string* StateIn(const std::vector<std::pair<std::string, std::string>>& metadata) {
  const auto found = std::find_if(metadata.begin(), metadata.end(),
                                  [](const auto& entry) { return entry.first == internal::kStateKey; });
  return found == metadata.end() ? nullptr : &found->second;
}

}  // namespace

StoredCheckpoint::StoredCheckpoint(std::shared_ptr<const Contents> contents) : contents_(std::move(contents)) {}

StoredCheckpoint::StoredCheckpoint(TorchFile file)
    : contents_(std::make_shared<const Contents>(Contents{
          .format = file.is_libtorch_archive() ? CheckpointFormat::kLibtorchArchive : CheckpointFormat::kTorchFile,
          .name = file.source().name,
          .torch = std::move(file),
          .safetensors = {}})) {}

Result<StoredCheckpoint> StoredCheckpoint::Open(ByteSource source, const OpenShards& open_shards) {
  auto kept = internal::WithCachedEnds(std::move(source));
  if (!kept) return kept.error();
  std::array<std::byte, kFirstBytes> room{};
  const auto first = std::span(room).first(static_cast<std::size_t>(std::min<std::uint64_t>(kept->size, kFirstBytes)));
  if (auto read = kept->read_at(0, first); !read) return read.error();
  const CheckpointFormat format = DetectFormat(first);
  if (format == CheckpointFormat::kSafetensors) {
    std::string name = kept->name;
    return OpenSafetensorsFiles(std::move(name), {*std::move(kept)});
  }
  if (format == CheckpointFormat::kSafetensorsIndex) return OpenIndex(*kept, open_shards);
  if (format != CheckpointFormat::kOtherZip) return NotRead(kept->name, format);
  auto file = TorchFile::OpenAny(*std::move(kept));
  if (!file) return file.error();
  return StoredCheckpoint(*std::move(file));
}

Result<StoredCheckpoint> StoredCheckpoint::OpenSafetensorsFiles(std::string name, std::vector<ByteSource> files) {
  if (files.empty()) return Error{ErrorCode::kNotFound, name + ": it holds no file of safetensors"};
  auto opened = SafetensorsFiles::Open(std::move(files));
  if (!opened) return opened.error();
  return OfSafetensors(std::move(name), *std::move(opened));
}

Result<StoredCheckpoint> StoredCheckpoint::OpenSafetensorsFiles(std::string name, std::vector<ByteSource> files,
                                                                std::vector<SafetensorsHeader> headers) {
  if (files.empty() || files.size() != headers.size()) {
    return Error{ErrorCode::kInvalidArgument, name + ": there must be one header for each file"};
  }
  auto opened = SafetensorsFiles::Open(std::move(files), std::move(headers));
  if (!opened) return opened.error();
  return OfSafetensors(std::move(name), *std::move(opened));
}

StoredCheckpoint StoredCheckpoint::OfSafetensors(std::string name, SafetensorsFiles files) {
  return StoredCheckpoint(std::make_shared<const Contents>(Contents{.format = CheckpointFormat::kSafetensors,
                                                                    .name = std::move(name),
                                                                    .torch = {},
                                                                    .safetensors = std::move(files)}));
}

Result<StoredCheckpoint> StoredCheckpoint::OpenIndex(const ByteSource& source, const OpenShards& open_shards) {
  const auto index = ReadSafetensorsIndex(source);
  if (!index) return index.error();
  if (!open_shards) return Undecodable(source.name, "", 0, "it is an index; open it by OpenCheckpoint()");
  auto sources = open_shards(index->Files());
  if (!sources) return sources.error();
  if (sources->empty()) return Undecodable(source.name, "", 0, "the index names no file");
  auto files = SafetensorsFiles::Open(*std::move(sources));
  if (!files) return files.error();
  if (auto checked = CheckWeightMap(source.name, *index, *files); !checked) return checked.error();
  return StoredCheckpoint(std::make_shared<const Contents>(Contents{.format = CheckpointFormat::kSafetensorsIndex,
                                                                    .name = source.name,
                                                                    .torch = {},
                                                                    .safetensors = *std::move(files)}));
}

CheckpointFormat StoredCheckpoint::format() const { return contents_->format; }
const std::string& StoredCheckpoint::name() const { return contents_->name; }
const TorchFile* StoredCheckpoint::torch_file() const { return contents_->torch ? &*contents_->torch : nullptr; }

std::uint64_t StoredCheckpoint::size() const {
  return torch_file() != nullptr ? torch_file()->source().size : contents_->safetensors.size();
}
const std::vector<StoredTensor>& StoredCheckpoint::tensors() const {
  return torch_file() != nullptr ? torch_file()->tensors() : contents_->safetensors.tensors();
}
const std::vector<StoredStorage>& StoredCheckpoint::storages() const {
  return torch_file() != nullptr ? torch_file()->storages() : contents_->safetensors.storages();
}
const std::vector<RefusedValue>& StoredCheckpoint::refused() const {
  return torch_file() != nullptr ? torch_file()->refused() : contents_->safetensors.refused();
}
const std::vector<std::pair<std::string, std::string>>& StoredCheckpoint::metadata() const {
  return contents_->safetensors.metadata();
}

Result<StoredTensor> StoredCheckpoint::Find(std::string_view name) const {
  if (torch_file() != nullptr) return torch_file()->Find(name);
  if (const auto found = FindNamed(tensors(), name); found != tensors().end()) return *found;
  const std::string shown = Shown(std::string(name));
  const auto why = FindNamed(refused(), name);
  if (why == refused().end()) return Error{ErrorCode::kNotFound, this->name() + ": it has no tensor " + shown};
  return Undecodable(this->name(), "", 0, shown + ": " + why->why);
}

bool StoredCheckpoint::IsVerifiable(std::size_t storage) const {
  return torch_file() != nullptr || contents_->safetensors.IsVerifiable(storage);
}
std::optional<std::uint32_t> StoredCheckpoint::Crc32c(std::size_t storage) const {
  return torch_file() != nullptr ? std::nullopt : contents_->safetensors.Crc32c(storage);
}

bool StoredCheckpoint::HasValues() const { return torch_file() != nullptr || StateIn(metadata()) != nullptr; }

namespace {

// In a step of many ranks, rank 0's values do not name the slices that only others have.
void AddUnnamed(const std::vector<StoredTensor>& tensors, pickled::Value& root) {
  auto* const dict = std::get_if<pickled::Dict>(&root.any);
  if (dict == nullptr) return;
  std::set<std::string> named;
  for (internal::NamedLayout& tensor : internal::NamedLayouts(root)) named.insert(std::move(tensor.name));
  for (const StoredTensor& tensor : tensors) {
    if (!named.contains(tensor.name)) dict->entries.push_back({{.any = tensor.name}, {.any = tensor.layout}});
  }
}

}  // namespace

Result<pickled::Value> StoredCheckpoint::ReadValue(std::string_view name) const {
  if (torch_file() != nullptr) return torch_file()->ReadValue(name);
  const std::string* const state = StateIn(metadata());
  if (state == nullptr) return Undecodable(this->name(), "", 0, "files of safetensors hold tensors only");
  std::map<std::string_view, const TensorLayout*> layouts;
  for (const StoredTensor& tensor : tensors()) layouts.emplace(tensor.name, &tensor.layout);
  const internal::FindLayout find = [&](const std::string& tensor) -> Result<TensorLayout> {
    if (const auto found = layouts.find(tensor); found != layouts.end()) return *found->second;
    const Error error = Find(tensor).error();
    if (error.code != ErrorCode::kNotFound) return error;
    return Undecodable(this->name(), "", 0,
                       "its values name the tensor " + Shown(tensor) +
                           ", which it lacks; if it is the file of a run's step, open the step by its manifest");
  };
  auto root = internal::ParseState(*state, this->name(), find);
  if (!root) return root.error();
  AddUnnamed(tensors(), *root);
  if (const pickled::Value* const value = internal::FindByName(*root, name)) return *value;
  return Error{ErrorCode::kNotFound, this->name() + ": it has no value " + Shown(std::string(name))};
}

Result<void> StoredCheckpoint::ReadStorages(std::span<const StorageRead> reads) const {
  if (torch_file() != nullptr) return torch_file()->ReadStorages(reads);
  std::vector<TensorRead> tensors;
  for (const StorageRead& read : reads) {
    if (read.storage >= storages().size()) {
      return Error{ErrorCode::kInvalidArgument, name() + ": it has no storage " + std::to_string(read.storage)};
    }
    tensors.push_back({&this->tensors()[read.storage], read.into});
  }
  return contents_->safetensors.ReadTensors(tensors);
}

Result<void> StoredCheckpoint::ReadTensors(std::span<const TensorRead> reads) const {
  return torch_file() != nullptr ? torch_file()->ReadTensors(reads) : contents_->safetensors.ReadTensors(reads);
}

Result<void> StoredCheckpoint::ReadTensor(const StoredTensor& tensor, std::span<std::byte> into) const {
  const TensorRead one{&tensor, into};
  return ReadTensors({&one, 1});
}

Result<void> StoredCheckpoint::StreamStorage(std::size_t storage, const ByteSink& sink) const {
  if (torch_file() != nullptr) return torch_file()->StreamStorage(storage, sink);
  return contents_->safetensors.StreamStorage(storage, sink);
}

Result<bool> StoredCheckpoint::VerifyWhole() const {
  const auto sources =
      torch_file() != nullptr ? std::span(&torch_file()->source(), 1) : std::span(contents_->safetensors.files());
  for (const ByteSource& source : sources) {
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
