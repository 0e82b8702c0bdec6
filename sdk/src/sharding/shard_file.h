#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoints/manifest.h"
#include "formats/safetensors/safetensors.h"
#include "sharding/sharded_checkpoints.h"

namespace gcsflux::internal {

/// "shard-00003-model-00001-of-00001.safetensors" for rank 2. PyTorch's distributed checkpoints use such names.
std::string ShardName(int rank);

/// The number in ShardName() has five digits.
inline constexpr int kMostShards = 99'999;

/// Gives the bytes of a rank's file to the sink, in chunks. Slices have their offsets in the metadata, where PyTorch's
/// distributed checkpoints look for them. Adds the parts to `tensors`, each with its place in the file and the CRC32C
/// of its bytes. `values` is what the metadata has under kStateKey (formats/state_json.h), if it is not empty.
Result<void> WriteShard(std::span<const PartToSave> parts, std::string_view values, const ByteSink& sink,
                        std::vector<StepTensor>& tensors);
/// The same for parts whose bytes `write` gives.
Result<void> WriteShard(std::span<const TensorPart> parts, const TensorWriter& write, std::string_view values,
                        const ByteSink& sink, std::vector<StepTensor>& tensors);

}  // namespace gcsflux::internal
