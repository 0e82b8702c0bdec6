#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sharding/sharded_checkpoints.h"

namespace gcsflux::testing {

/// Random tensors of each rank: wholes on one rank, copies, slices along a dimension of uneven size, and slices
/// replicated on several ranks.
class RandomParts {
 public:
  explicit RandomParts(std::uint64_t seed) : random_(seed) {}

  std::vector<std::vector<TensorPart>> Of(const std::vector<TensorPart>& tensors, int world_size) {
    std::vector<std::vector<TensorPart>> ranks(static_cast<std::size_t>(world_size));
    for (const TensorPart& tensor : tensors) AddTensor(tensor, ranks);
    for (auto& parts : ranks) std::shuffle(parts.begin(), parts.end(), random_);
    return ranks;
  }

  std::vector<TensorPart> Tensors(std::size_t count) {
    static constexpr DType kTypes[] = {DType::kFloat32, DType::kBfloat16, DType::kInt64, DType::kUint8};
    std::vector<TensorPart> tensors(count);
    for (std::size_t i = 0; i < count; ++i) {
      tensors[i] = {.name = "t" + std::to_string(i), .dtype = kTypes[Below(4)]};
      for (std::uint64_t left = Below(4); left > 0; --left) {
        tensors[i].shape.push_back(static_cast<std::int64_t>(Below(12)));
      }
    }
    return tensors;
  }

  std::uint64_t Below(std::uint64_t end) { return random_() % end; }

 private:
  void AddTensor(const TensorPart& tensor, std::vector<std::vector<TensorPart>>& ranks) {
    const std::uint64_t kind = tensor.shape.empty() ? Below(2) : Below(4);
    if (kind == 0) return ranks[Below(ranks.size())].push_back(tensor);
    if (kind == 1) {
      for (auto& parts : ranks) parts.push_back(tensor);
      return;
    }
    // In groups of ranks, each of which has one slice. One group: each rank has its own slice.
    const auto copies = static_cast<int>(kind == 3 && ranks.size() % 2 == 0 ? 2 : 1);
    const int groups = static_cast<int>(ranks.size()) / copies;
    const std::size_t dimension = Below(tensor.shape.size());
    std::vector<std::int64_t> cuts = {0, tensor.shape[dimension]};
    for (int i = 1; i < groups; ++i) {
      cuts.push_back(static_cast<std::int64_t>(Below(static_cast<std::uint64_t>(tensor.shape[dimension]) + 1)));
    }
    std::sort(cuts.begin(), cuts.end());
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const std::size_t group = rank / static_cast<std::size_t>(copies);
      TensorPart part = tensor;
      part.offsets.assign(tensor.shape.size(), 0);
      part.sizes = tensor.shape;
      part.offsets[dimension] = cuts[group];
      part.sizes[dimension] = cuts[group + 1] - cuts[group];
      ranks[rank].push_back(part);
    }
  }

  std::mt19937_64 random_;
};

}  // namespace gcsflux::testing
