#include <algorithm>
#include <utility>

#include "base/invalid_argument.h"
#include "formats/bytes/format_error.h"
#include "sharding/sharded_checkpoints.h"

namespace gcsflux {

Result<TensorPart> Sharded(std::string name, DType dtype, std::vector<std::int64_t> shape, const RunEnvironment& run,
                           std::int64_t divided_dimension) {
  const auto dimension = static_cast<std::size_t>(divided_dimension);  // A negative one is too large then.
  if (dimension >= shape.size() || shape[dimension] < 0) {
    return internal::InvalidArgument("tensor " + internal::Shown(name) + " has no dimension " +
                                     std::to_string(divided_dimension) + " to divide");
  }
  if (run.rank < 0 || run.rank >= run.world_size) {
    return internal::InvalidArgument("tensor " + internal::Shown(name) + ": there is no rank " +
                                     std::to_string(run.rank) + " among " + std::to_string(run.world_size));
  }
  const auto [begin, end] = DivideRows(shape[dimension], run);
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
