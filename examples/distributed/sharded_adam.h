#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "distributed/training_group.h"
#include "gcsflux/torch/sharded_run.h"

namespace examples {

/// Adam, whose state is divided over the ranks: each keeps the moments of its slice of all parameters, updates these,
/// and gets the others' parameters from the others.
class ShardedAdam {
 public:
  ShardedAdam(std::vector<at::Tensor> parameters, TrainingGroup& group, const gcsflux::RunEnvironment& run);

  /// Adds the gradients of all ranks up, and makes a step. All ranks have the same parameters then.
  void Step();
  /// The moments as slices of vectors over all parameters. They are this object's own.
  void AddTo(gcsflux::ShardedState& state) const;
  /// How many steps were made: it belongs to the state.
  std::int64_t steps = 0;

 private:
  [[nodiscard]] at::Tensor Own(const at::Tensor& all) const { return all.slice(0, own_.begin, own_.end); }

  const std::vector<at::Tensor> parameters_;
  TrainingGroup& group_;
  const gcsflux::RankShare share_;
  std::int64_t size_ = 0;  // Of all parameters, as one vector.
  gcsflux::RowsOfRank own_;
  at::Tensor first_;
  at::Tensor second_;
};

}  // namespace examples
