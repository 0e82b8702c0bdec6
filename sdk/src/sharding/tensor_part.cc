#include <algorithm>
#include <utility>

#include "base/invalid_argument.h"
#include "formats/bytes/format_error.h"
#include "sharding/sharded_checkpoints.h"

namespace gcsflux {

std::pair<std::int64_t, std::int64_t> DivideRows(std::int64_t rows, const RankShare& share) {
  if (rows < 0 || share.rank < 0 || share.rank >= share.world_size) return {};
  const std::int64_t least = rows / share.world_size;
  const std::int64_t longer = rows % share.world_size;
  const std::int64_t begin = least * share.rank + std::min<std::int64_t>(share.rank, longer);
  return {begin, begin + least + (share.rank < longer ? 1 : 0)};
}

Result<TensorPart> Sharded(std::string name, DType dtype, std::vector<std::int64_t> shape, const RankShare& share) {
  const auto dimension = static_cast<std::size_t>(share.dimension);  // A negative one is too large then.
  if (dimension >= shape.size() || shape[dimension] < 0) {
    return internal::InvalidArgument("tensor " + internal::Shown(name) + " has no dimension " +
                                     std::to_string(share.dimension) + " to divide");
  }
  if (share.rank < 0 || share.rank >= share.world_size) {
    return internal::InvalidArgument("tensor " + internal::Shown(name) + ": there is no rank " +
                                     std::to_string(share.rank) + " among " + std::to_string(share.world_size));
  }
  const auto [begin, end] = DivideRows(shape[dimension], share);
  std::vector<std::int64_t> offsets(shape.size(), 0);
  offsets[dimension] = begin;
  std::vector<std::int64_t> sizes = shape;
  sizes[dimension] = end - begin;
  return TensorPart{.name = std::move(name),
                    .dtype = dtype,
                    .shape = std::move(shape),
                    .offsets = std::move(offsets),
                    .sizes = std::move(sizes)};
}

}  // namespace gcsflux
