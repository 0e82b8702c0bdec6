#include "sharding/shard_checkpoint.h"

#include <utility>

#include "formats/convert_checkpoint.h"
#include "formats/tensor_sequence.h"
#include "sharding/divide_checkpoint.h"
#include "sharding/shard_file.h"

namespace gcsflux::internal {

Result<WrittenShards> ShardCheckpoint(const StoredCheckpoint& checkpoint, int shards, const ShardWriter& write_file,
                                      bool is_tensors_only) {
  if (!is_tensors_only) {
    if (auto checked = CheckTensorsOnly(checkpoint, false); !checked) return checked.error();
  }
  auto divided = DivideCheckpoint(checkpoint, shards);
  if (!divided) return divided.error();
  WrittenShards written;
  for (Shard& shard : *divided) {
    TensorSequence sequence(checkpoint, std::move(shard.sources));
    const TensorWriter give = [&](std::size_t part, const ByteSink& sink) { return sequence.Give(part, sink); };
    std::vector<StepTensor> placed;
    const CheckpointWriter write = [&](const ByteSink& sink) {
      placed.clear();
      return WriteShard(shard.parts, give, {}, sink, placed);
    };
    auto file = write_file(ShardName(shard.index), write);
    if (!file) return file.error();
    for (StepTensor& tensor : placed) {
      tensor.file = written.files.size();
      written.tensors.push_back(std::move(tensor));
    }
    written.files.push_back(*std::move(file));
  }
  return written;
}

}  // namespace gcsflux::internal
