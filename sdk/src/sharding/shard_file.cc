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

constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

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

/// Keeps the header, which is written first, and passes all bytes on.
class HeaderKeeper {
 public:
  explicit HeaderKeeper(const ByteSink& sink) : sink_(sink) {}

  Result<void> Put(std::span<const std::byte> bytes) {
    if (header_.empty()) header_.assign(bytes.begin(), bytes.end());
    size_ += bytes.size();
    return sink_(bytes);
  }
  [[nodiscard]] Result<SafetensorsHeader> Read() const {
    const auto read_at = [this](std::uint64_t offset, std::span<std::byte> into) -> Result<void> {
      const std::size_t begin = std::min(static_cast<std::size_t>(offset), header_.size());
      const std::size_t length = std::min(into.size(), header_.size() - begin);
      std::copy_n(header_.begin() + static_cast<std::ptrdiff_t>(begin), length, into.begin());
      return {};
    };
    return ReadSafetensorsHeader({.name = "the file of this rank", .size = size_, .read_at = read_at});
  }

 private:
  const ByteSink& sink_;
  std::vector<std::byte> header_;
  std::uint64_t size_ = 0;
};

StepTensor TensorOf(const TensorPart& part, const SafeTensor& stored) {
  StepTensor tensor{
      .name = part.name, .range = stored.range, .dtype = part.dtype, .shape = part.OwnShape(), .crc32c = stored.crc32c};
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
  HeaderKeeper keeper(sink);
  const ByteSink keep = [&](std::span<const std::byte> bytes) { return keeper.Put(bytes); };
  if (auto written = WriteSafetensors(contents, write, keep); !written) return written;
  const auto header = keeper.Read();
  if (!header) return header.error();
  std::vector<const SafeTensor*> by_name;
  for (const SafeTensor& stored : header->tensors) by_name.push_back(&stored);
  std::ranges::sort(by_name, {}, &SafeTensor::name);
  for (const TensorPart& part : parts) {
    tensors.push_back(TensorOf(part, **std::ranges::lower_bound(by_name, part.name, {}, &SafeTensor::name)));
  }
  return {};
}

Result<void> WriteShard(std::span<const PartToSave> parts, std::string_view values, const ByteSink& sink,
                        std::vector<StepTensor>& tensors) {
  std::vector<TensorPart> named;
  for (const PartToSave& one : parts) named.push_back(one.part);
  const TensorWriter write = [&](std::size_t index, const ByteSink& into) -> Result<void> {
    for (auto left = parts[index].bytes; !left.empty();) {
      const auto piece = left.first(std::min(left.size(), kPieceBytes));
      if (auto put = into(piece); !put) return put;
      left = left.subspan(piece.size());
    }
    return {};
  };
  return WriteShard(named, write, values, sink, tensors);
}

}  // namespace gcsflux::internal
