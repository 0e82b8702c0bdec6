#include "gcsflux/checkpoints/tensor_part.h"

#include <algorithm>
#include <utility>

#include "base/invalid_argument.h"
#include "formats/bytes/format_error.h"

namespace gcsflux {

RowsOfRank DivideRows(std::int64_t rows, int rank, int world_size) {
  if (rows < 0 || rank < 0 || rank >= world_size) return {};
  const std::int64_t least = rows / world_size;
  const std::int64_t longer = rows % world_size;
  const std::int64_t begin = least * rank + std::min<std::int64_t>(rank, longer);
  return {begin, begin + least + (rank < longer ? 1 : 0)};
}

Result<TensorPart> Sharded(std::string name, DType dtype, std::vector<std::int64_t> shape, std::size_t dimension,
                           int rank, int world_size) {
  if (dimension >= shape.size() || shape[dimension] < 0) {
    return internal::InvalidArgument("tensor " + internal::Shown(name) + " has no dimension " +
                                     std::to_string(dimension) + " to divide");
  }
  if (rank < 0 || rank >= world_size) {
    return internal::InvalidArgument("tensor " + internal::Shown(name) + ": there is no rank " + std::to_string(rank) +
                                     " among " + std::to_string(world_size));
  }
  const RowsOfRank rows = DivideRows(shape[dimension], rank, world_size);
  std::vector<std::int64_t> offsets(shape.size(), 0);
  offsets[dimension] = rows.begin;
  std::vector<std::int64_t> sizes = shape;
  sizes[dimension] = rows.end - rows.begin;
  return TensorPart{.name = std::move(name),
                    .dtype = dtype,
                    .shape = std::move(shape),
                    .offsets = std::move(offsets),
                    .sizes = std::move(sizes)};
}

}  // namespace gcsflux
