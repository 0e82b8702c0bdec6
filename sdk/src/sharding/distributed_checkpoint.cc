#include "sharding/distributed_checkpoint.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "formats/bytes/format_error.h"
#include "formats/checkpoint_reader.h"
#include "formats/distributed/distributed_metadata.h"
#include "formats/distributed/flatten.h"
#include "formats/tensor_sequence.h"
#include "formats/torch_file_writer.h"
#include "sharding/divide_checkpoint.h"

namespace gcsflux::internal {
namespace {

class DistributedWriter {
 public:
  DistributedWriter(const StoredCheckpoint& checkpoint, const ShardWriter& write_file)
      : checkpoint_(checkpoint), write_file_(write_file) {}

  // The values beside the tensors, and the paths of both.
  Result<void> TakeValues() {
    auto root = checkpoint_.reader().ReadValue();
    if (!root) return root.error();
    root_ = *std::move(root);
    auto leaves = FlattenValues(root_);
    if (!leaves) return Named(leaves.error());
    for (FlatValue& leaf : *leaves) {
      if (const auto* const refused = leaf.value->As<pickled::Refused>()) {
        return Named({ErrorCode::kInvalidArgument, Shown(leaf.name) + ": " + refused->why +
                                                       "; convert the tensors only "
                                                       "(ConvertOptions::is_tensors_only, --tensors_only)"});
      }
      metadata_.paths.push_back({leaf.name, std::move(leaf.steps)});
      if (!leaf.IsTensor()) values_.push_back({std::move(leaf.name), {}, leaf.value});
    }
    return {};
  }

  void TakeTensors() {
    for (const StoredTensor& tensor : checkpoint_.tensors()) {
      places_.emplace(tensor.name, metadata_.tensors.size());
      metadata_.tensors.push_back({.name = tensor.name, .dtype = tensor.layout.dtype, .shape = tensor.layout.shape});
      if (root_.As<pickled::Dict>() == nullptr) metadata_.paths.push_back({tensor.name, {tensor.name}});
    }
  }

  Result<void> WriteShard(Shard& shard) {
    TensorSequence sequence(checkpoint_, std::move(shard.sources));
    const std::size_t file = metadata_.files.size();
    std::vector<FileRange> placed;
    const CheckpointWriter write = [&](const ByteSink& sink) -> Result<void> {
      placed.clear();
      std::uint64_t position = 0;
      const ByteSink counted = [&](std::span<const std::byte> bytes) {
        position += bytes.size();
        return sink(bytes);
      };
      for (std::size_t i = 0; file == 0 && i < values_.size(); ++i) {
        if (auto put = PutValue(values_[i], counted); !put) return put;
        placed.push_back({placed.empty() ? 0 : placed.back().end, position});
      }
      for (std::size_t i = 0; i < shard.parts.size(); ++i) {
        if (auto put = PutPart(shard.parts[i], i, sequence, counted); !put) return put;
        placed.push_back({placed.empty() ? 0 : placed.back().end, position});
      }
      return {};
    };
    const std::string name = "__" + std::to_string(shard.index) + "_0" + kDistributedSuffix;
    auto written = write_file_(name, write);
    if (!written) return written.error();
    metadata_.files.push_back(name);
    written_.files.push_back(*std::move(written));
    AddPlaces(file, shard, placed);
    return {};
  }

  Result<WrittenShards> WriteMetadata() && {
    const auto pickle = FormatDistributedMetadata(metadata_);
    if (!pickle) return Named(pickle.error());
    const CheckpointWriter write = [&](const ByteSink& sink) { return sink(std::as_bytes(std::span(*pickle))); };
    auto written = write_file_(kDistributedMetadata, write);
    if (!written) return written.error();
    written_.files.push_back(*std::move(written));
    return std::move(written_);
  }

 private:
  [[nodiscard]] Error Named(Error error) const {
    error.message = checkpoint_.name() + ": " + error.message;
    return error;
  }

  static Result<void> PutValue(const FlatValue& value, const ByteSink& sink) {
    const auto no_storage = [](std::size_t, const ByteSink&) { return Result<void>(); };
    auto put = WriteTorchFile({.root = *value.value}, no_storage, sink);
    if (!put) return Error{put.error().code, Shown(value.name) + ": " + put.error().message};
    return {};
  }

  static Result<void> PutPart(const TensorPart& part, std::size_t index, TensorSequence& sequence,
                              const ByteSink& sink) {
    TensorLayout layout{.dtype = part.dtype, .shape = part.OwnShape()};
    layout.strides = ContiguousStrides(layout.shape);
    TorchFileContents contents{.storage_bytes = {TensorBytes(layout)}};
    contents.root.any = std::move(layout);
    const auto give = [&](std::size_t, const ByteSink& into) { return sequence.Give(index, into); };
    auto put = WriteTorchFile(contents, give, sink);
    if (!put) return Error{put.error().code, Shown(part.name) + ": " + put.error().message};
    return {};
  }

  void AddPlaces(std::size_t file, const Shard& shard, std::span<const FileRange> placed) {
    if (file == 0) {
      for (std::size_t i = 0; i < values_.size(); ++i) metadata_.values.push_back({values_[i].name, {file, placed[i]}});
      placed = placed.subspan(values_.size());
    }
    for (std::size_t i = 0; i < shard.parts.size(); ++i) {
      const TensorPart& part = shard.parts[i];
      std::vector<std::int64_t> offsets = part.offsets;
      if (offsets.empty()) offsets.assign(part.shape.size(), 0);
      metadata_.tensors[places_.at(part.name)].chunks.push_back(
          {std::move(offsets), part.OwnShape(), {file, placed[i]}});
    }
  }

  const StoredCheckpoint& checkpoint_;
  const ShardWriter& write_file_;
  pickled::Value root_;
  std::vector<FlatValue> values_;  // Those within root_ that are not tensors.
  DistributedMetadata metadata_;
  std::unordered_map<std::string, std::size_t> places_;  // Of the tensors, in metadata_.
  WrittenShards written_;
};

}  // namespace

Result<WrittenShards> WriteDistributed(const StoredCheckpoint& checkpoint, int ranks, const ShardWriter& write_file,
                                       bool is_tensors_only) {
  auto divided = DivideCheckpoint(checkpoint, ranks);
  if (!divided) return divided.error();
  DistributedWriter writer(checkpoint, write_file);
  if (!is_tensors_only && checkpoint.reader().HasValues()) {
    if (auto taken = writer.TakeValues(); !taken) return taken.error();
  }
  writer.TakeTensors();
  for (Shard& shard : *divided) {
    if (auto written = writer.WriteShard(shard); !written) return written.error();
  }
  return std::move(writer).WriteMetadata();
}

}  // namespace gcsflux::internal
