#include <utility>

#include "gcsflux/torch/checkpoint_run.h"
#include "sharding/sharded_checkpoints.h"
#include "torch/failure.h"

namespace gcsflux {

ShardedTensor Sharded(at::Tensor local, std::int64_t rows, const RunEnvironment& run, std::int64_t dimension) {
  if (!local.defined() || dimension < 0 || dimension >= local.dim() || rows < 0) {
    throw Failure(ErrorCode::kInvalidArgument, "the tensor has no dimension " + std::to_string(dimension) +
                                                   " that is a part of " + std::to_string(rows) + " rows");
  }
  std::vector<std::int64_t> shape = local.sizes().vec();
  const std::int64_t own = std::exchange(shape[static_cast<std::size_t>(dimension)], rows);
  TensorPart part = ValueOrThrow(Sharded("local", DType::kUint8, std::move(shape), run, dimension));
  const std::int64_t wanted = part.sizes[static_cast<std::size_t>(dimension)];
  if (own != wanted) {
    throw Failure(ErrorCode::kInvalidArgument, "rank " + std::to_string(run.rank) + " of " +
                                                   std::to_string(run.world_size) + " has " + std::to_string(wanted) +
                                                   " of " + std::to_string(rows) + " rows, and this tensor has " +
                                                   std::to_string(own));
  }
  return {.local = std::move(local), .shape = std::move(part.shape), .offsets = std::move(part.offsets)};
}

}  // namespace gcsflux
