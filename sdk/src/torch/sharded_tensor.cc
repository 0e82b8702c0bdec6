#include <utility>

#include "gcsflux/torch/checkpoint_run.h"
#include "torch/failure.h"

namespace gcsflux {

ShardedTensor Sharded(at::Tensor local, std::int64_t rows, const RankShare& share) {
  const auto& [rank, world_size, dimension] = share;
  if (rank < 0 || rank >= world_size) {
    throw Failure(ErrorCode::kInvalidArgument,
                  "there is no rank " + std::to_string(rank) + " among " + std::to_string(world_size));
  }
  if (!local.defined() || dimension < 0 || dimension >= local.dim() || rows < 0) {
    throw Failure(ErrorCode::kInvalidArgument, "the tensor has no dimension " + std::to_string(dimension) +
                                                   " that is a part of " + std::to_string(rows) + " rows");
  }
  const std::int64_t own = local.size(dimension);
  const RowsOfRank of_rank = DivideRows(rows, share);
  if (own != of_rank.end - of_rank.begin) {
    throw Failure(ErrorCode::kInvalidArgument, "rank " + std::to_string(rank) + " of " + std::to_string(world_size) +
                                                   " has " + std::to_string(of_rank.end - of_rank.begin) + " of " +
                                                   std::to_string(rows) + " rows, and this tensor has " +
                                                   std::to_string(own));
  }
  ShardedTensor sharded{.local = std::move(local), .shape = {}, .offsets = {}};
  sharded.shape = sharded.local.sizes().vec();
  sharded.shape[static_cast<std::size_t>(dimension)] = rows;
  sharded.offsets.assign(sharded.shape.size(), 0);
  sharded.offsets[static_cast<std::size_t>(dimension)] = of_rank.begin;
  return sharded;
}

}  // namespace gcsflux
