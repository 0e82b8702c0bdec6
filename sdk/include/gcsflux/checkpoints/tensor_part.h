#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gcsflux/formats.h"

// What a rank has of the tensors that all ranks together save and load: docs/distributed.md.
namespace gcsflux {

/// A tensor, or a slice of it. Ranks that have the same slice, or the whole, have copies of it.
struct TensorPart {
  std::string name = {};
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape = {};  ///< Of the whole tensor.
  /// Where the slice begins in each dimension of the whole, and how long it is there. Both empty: the whole tensor.
  std::vector<std::int64_t> offsets = {};
  std::vector<std::int64_t> sizes = {};

  /// The slice's own shape.
  [[nodiscard]] const std::vector<std::int64_t>& OwnShape() const { return sizes.empty() ? shape : sizes; }
  friend bool operator==(const TensorPart&, const TensorPart&) = default;
};

/// The rows [begin, end) that a rank has of a dimension that `world_size` ranks divide: the first ranks have one more
/// if it does not come out even, and the last ones none if there are fewer rows than ranks. None too if there is no
/// such rank.
struct RowsOfRank {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
RowsOfRank DivideRows(std::int64_t rows, int rank, int world_size);

/// The slice of `rank` of a tensor that is divided along `dimension` by DivideRows(). kInvalidArgument if the tensor
/// has no such dimension, or there is no such rank.
Result<TensorPart> Sharded(std::string name, DType dtype, std::vector<std::int64_t> shape, std::size_t dimension,
                           int rank, int world_size);

}  // namespace gcsflux
