#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "gcsflux/checkpoints/stored_checkpoint.h"

namespace gcsflux {

/// How a tensor differs between two checkpoints.
enum class TensorDifferenceKind : std::uint8_t {
  kOnlyInFirst,
  kOnlyInSecond,
  kTypeOrShape,
  kElements,
  kNotRead,  ///< One of the two checkpoints holds a form of this tensor that gcsflux does not read.
};

struct TensorDifference {
  std::string name = {};
  TensorDifferenceKind kind = TensorDifferenceKind::kElements;
  std::string why = {};                  ///< For people: "float32 [2, 3], and float32 [3, 2]".
  std::uint64_t different_elements = 0;  ///< The number of elements that differ; only for kElements.
  /// The largest absolute difference of two elements; only for kElements. NaN if one of the two elements is not a
  /// number.
  double largest = 0;
};

struct CompareReport {
  std::uint64_t same = 0;       ///< Tensors of the same type, shape and bytes.
  std::uint64_t different = 0;  ///< Tensor names with a TensorDifference.
};

/// Compares the tensors of two checkpoints by name. The formats may differ, and strides do not count. Values that are
/// not tensors are not compared. Uses bounded memory. If a tensor's elements do not follow each other in one of the
/// files, the whole tensor of both is held too. Returns kInvalidArgument if a checkpoint has two tensors of one name.
Result<CompareReport> CompareCheckpoints(const StoredCheckpoint& first, const StoredCheckpoint& second,
                                         const std::function<void(const TensorDifference&)>& on_difference = {});

}  // namespace gcsflux
