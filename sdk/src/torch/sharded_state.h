#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gcsflux/torch/sharded_run.h"
#include "torch/plain_values.h"

namespace gcsflux {

/// A state as parts, and the tensors that own their bytes.
struct GatheredParts {
  std::vector<TensorPart> parts = {};
  std::vector<at::Tensor> tensors = {};  ///< Contiguous, on the CPU. By part.
};

/// With `has_values`, numbers, texts and the cursor are among them, as tensors.
GatheredParts GatherParts(const ShardedState& state, bool has_values);

/// Loads in two steps: memory for all that the state names and that the step's values need, then the state itself.
class StagedParts {
 public:
  /// `values` are the step's if it has none among its tensors.
  StagedParts(const ShardedState& state, const CheckpointManifest& step, std::optional<PlainValues> values);
  [[nodiscard]] std::vector<PartToLoad> ToLoad() const;
  /// Call it when all is read. If it throws, nothing has changed.
  void MoveInto(ShardedState& state) const;

 private:
  GatheredParts state_;   // Its tensors are the state's own.
  GatheredParts staged_;  // Memory of the same form, and then memory for values among the step's tensors.
  std::optional<PlainValues> values_;
};

}  // namespace gcsflux
