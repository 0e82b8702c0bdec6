#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gcsflux/formats.h"

// A rank's part of the tensors that all ranks save and load together: docs/distributed.md.
namespace gcsflux {

/// A tensor, or a slice of it. If several ranks have the same slice, or the whole, these are copies.
struct TensorPart {
  std::string name = {};
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape = {};  ///< Of the whole tensor.
  /// The begin and the length of the slice in each dimension of the whole tensor. Both are empty for the whole tensor.
  std::vector<std::int64_t> offsets = {};
  std::vector<std::int64_t> sizes = {};

  /// The slice's own shape.
  [[nodiscard]] const std::vector<std::int64_t>& OwnShape() const { return sizes.empty() ? shape : sizes; }
  friend bool operator==(const TensorPart&, const TensorPart&) = default;
};

/// One rank's share of what `world_size` ranks divide.
struct RankShare {
  int rank = 0;
  int world_size = 1;
  std::int64_t dimension = 0;  ///< The dimension of a tensor that is divided.
};

/// The rows [begin, end) of a rank.
struct RowsOfRank {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Divides rows. If they do not divide evenly, the first ranks get one more. If there are fewer rows than ranks, the
/// last ranks get none. A rank that does not exist gets none.
RowsOfRank DivideRows(std::int64_t rows, const RankShare& share);

/// The rank's slice of a tensor, whose dimension DivideRows() divides. Returns kInvalidArgument if the tensor has no
/// such dimension, or there is no such rank.
Result<TensorPart> Sharded(std::string name, DType dtype, std::vector<std::int64_t> shape, const RankShare& share);

}  // namespace gcsflux
