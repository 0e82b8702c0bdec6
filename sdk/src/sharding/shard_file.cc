#include "sharding/shard_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/safetensors/json_events.h"
#include "formats/safetensors/safetensors.h"
#include "formats/safetensors/safetensors_types.h"
#include "formats/state_json.h"

namespace gcsflux::internal {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{4} << 20;

std::vector<std::int64_t> OffsetsOf(const TensorPart& part) {
  return part.offsets.empty() ? std::vector<std::int64_t>(part.shape.size(), 0) : part.offsets;
}

// {"name": {"saved_offsets": [0, 4]}}. PyTorch's reader requires each tensor of the file there, also whole ones.
std::string ShardingInfo(std::span<const TensorPart> parts) {
  std::string json;
  for (const TensorPart& part : parts) {
    json += (json.empty() ? "{" : ",") + QuotedJson(part.name) + R"(:{"saved_offsets":[)";
    std::string offsets;
    for (const std::int64_t offset : OffsetsOf(part)) offsets += (offsets.empty() ? "" : ",") + std::to_string(offset);
    json += offsets + "]}";
  }
  return json + "}";
}

StepTensor TensorOf(const TensorPart& part, const PlacedTensor& placed) {
  StepTensor tensor{
      .name = part.name, .range = placed.range, .dtype = part.dtype, .shape = part.OwnShape(), .crc32c = placed.crc32c};
  if (part.OwnShape() == part.shape) return tensor;
  tensor.offsets = part.offsets;
  tensor.whole_shape = part.shape;
  return tensor;
}

}  // namespace

std::string ShardName(int rank) {
  std::string number = std::to_string(rank + 1);
  if (number.size() < 5) number.insert(0, 5 - number.size(), '0');
  return "shard-" + number + "-model-00001-of-00001.safetensors";
}

Result<void> WriteShard(std::span<const TensorPart> parts, const TensorWriter& write, std::string_view values,
                        const ByteSink& sink, std::vector<StepTensor>& tensors) {
  SafetensorsContents contents;
  for (const TensorPart& part : parts) {
    contents.tensors.push_back({.name = part.name, .dtype = part.dtype, .shape = part.OwnShape()});
  }
  if (!parts.empty()) contents.metadata.emplace_back(kSlicesName, ShardingInfo(parts));
  if (!values.empty()) contents.metadata.emplace_back(kStateKey, values);
  const auto placed = WriteSafetensors(contents, write, sink);
  if (!placed) return placed.error();
  for (std::size_t i = 0; i < parts.size(); ++i) tensors.push_back(TensorOf(parts[i], (*placed)[i]));
  return {};
}

Result<void> WriteShard(std::span<const PartToSave> parts, std::string_view values, const ByteSink& sink,
                        std::vector<StepTensor>& tensors) {
  std::vector<TensorPart> named;
  for (const PartToSave& one : parts) named.push_back(one.part);
  const TensorWriter write = [&](std::size_t index, const ByteSink& into) -> Result<void> {
    for (auto left = parts[index].bytes; !left.empty();) {
      const auto chunk = left.first(std::min(left.size(), kChunkBytes));
      if (auto put = into(chunk); !put) return put;
      left = left.subspan(chunk.size());
    }
    return {};
  };
  return WriteShard(named, write, values, sink, tensors);
}

}  // namespace gcsflux::internal
