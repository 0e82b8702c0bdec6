#include "sharding/divide_checkpoint.h"

#include <algorithm>
#include <utility>

#include "formats/bytes/format_error.h"
#include "formats/bytes/tensor_layout.h"
#include "formats/tensor_sequence.h"
#include "sharding/save_plan.h"
#include "sharding/shard_file.h"

namespace gcsflux::internal {
namespace {

Result<void> CheckNames(const StoredCheckpoint& checkpoint) {
  std::vector<std::string_view> names;
  for (const StoredTensor& tensor : checkpoint.tensors()) names.push_back(tensor.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return {};
  return Error{ErrorCode::kInvalidArgument,
               checkpoint.name() + ": the name " + Shown(std::string(*twice)) +
                   " is there twice, which the other format cannot hold; rename one of the two tensors"};
}

// Lays the tensors end to end, and cuts that line into stretches of the same length. PlannedRows::part is the tensor's
// index.
std::vector<std::vector<PlannedRows>> Divide(const std::vector<StoredTensor>& tensors, std::size_t shards) {
  std::uint64_t total = 0;  // It wraps if tensors of strides 0 claim more than 2^64 bytes; the division is uneven then.
  for (const StoredTensor& tensor : tensors) total += TensorBytes(tensor.layout);
  const std::uint64_t share = total / shards + 1;
  std::vector<std::vector<PlannedRows>> plan(shards);
  std::size_t at = 0;
  std::uint64_t begin = 0;
  for (std::size_t index = 0; index < tensors.size(); ++index) {
    const std::uint64_t bytes = TensorBytes(tensors[index].layout);
    const std::int64_t rows = RowCount(tensors[index].layout.shape);
    const auto row_at = [&](std::uint64_t length) {
      if (length >= bytes) return rows;
      if (bytes <= kLeastDivided) return length >= bytes - length ? rows : 0;
      const std::uint64_t row_bytes = bytes / static_cast<std::uint64_t>(rows);
      return static_cast<std::int64_t>((length + row_bytes / 2) / row_bytes);
    };
    std::int64_t row = 0;
    do {
      const std::uint64_t stretch_end = share * (at + 1);
      const std::uint64_t left = stretch_end > begin ? stretch_end - begin : 0;
      const std::int64_t end = at + 1 == shards ? rows : std::max(row, row_at(left));
      if (end > row || rows == 0) plan[at].push_back({static_cast<std::uint32_t>(index), row, end});
      row = end;
      if (row < rows) ++at;
    } while (row < rows);
    begin += bytes;
  }
  return plan;
}

// The rows of a stored tensor, as `part` names them.
StoredTensor Narrowed(StoredTensor tensor, const TensorPart& part) {
  if (part.sizes.empty()) return tensor;
  TensorLayout& layout = tensor.layout;
  const bool is_contiguous = IsContiguous(layout);
  for (std::size_t i = 0; i < part.offsets.size(); ++i) {
    layout.offset += static_cast<std::uint64_t>(part.offsets[i] * layout.strides[i]);
  }
  layout.shape = part.sizes;
  if (is_contiguous) layout.strides = ContiguousStrides(layout.shape);
  return tensor;
}

Shard ShardOf(std::size_t index, const std::vector<StoredTensor>& tensors, const std::vector<PlannedRows>& rows) {
  Shard shard{.index = static_cast<int>(index)};
  for (const PlannedRows& one : rows) {
    const StoredTensor& tensor = tensors[one.part];
    const TensorPart whole{.name = tensor.name, .dtype = tensor.layout.dtype, .shape = tensor.layout.shape};
    shard.parts.push_back(RowsOfPart(whole, one));
    shard.sources.push_back(Narrowed(tensor, shard.parts.back()));
  }
  return shard;
}

}  // namespace

Result<std::vector<Shard>> DivideCheckpoint(const StoredCheckpoint& checkpoint, int shards) {
  if (shards < 1 || shards > kMostShards) {
    return Error{ErrorCode::kInvalidArgument,
                 "a checkpoint becomes 1 to " + std::to_string(kMostShards) + " files, not " + std::to_string(shards)};
  }
  if (auto checked = CheckNames(checkpoint); !checked) return checked.error();
  std::vector<StoredTensor> tensors = checkpoint.tensors();
  std::sort(tensors.begin(), tensors.end(), IsWrittenBefore);
  const auto plan = Divide(tensors, static_cast<std::size_t>(shards));
  std::vector<Shard> divided;
  for (std::size_t index = 0; index < plan.size(); ++index) {
    if (index == 0 || !plan[index].empty()) divided.push_back(ShardOf(index, tensors, plan[index]));
  }
  return divided;
}

}  // namespace gcsflux::internal
