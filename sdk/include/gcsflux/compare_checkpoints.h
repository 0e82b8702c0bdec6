#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "gcsflux/stored_checkpoint.h"

namespace gcsflux {

/// How a tensor differs between two checkpoints.
enum class TensorDifferenceKind : std::uint8_t {
  kOnlyInFirst,
  kOnlyInSecond,
  kTypeOrShape,
  kElements,
  kNotRead,  ///< One of them refuses it.
};

struct TensorDifference {
  std::string name = {};
  TensorDifferenceKind kind = TensorDifferenceKind::kElements;
  std::string why = {};                  ///< For people: "float32 [2, 3], and float32 [3, 2]".
  std::uint64_t different_elements = 0;  ///< Of kElements.
  /// Of kElements: the largest absolute difference of two of them; NaN where one of them is no number.
  double largest = 0;
};

struct CompareReport {
  std::uint64_t same = 0;       ///< Tensors of the same type, shape and bytes.
  std::uint64_t different = 0;  ///< Names of TensorDifference.
};

/// Compares two checkpoints' tensors by name, whatever their formats, in bounded memory; strides do not count. Values
/// that are no tensors are not compared. kInvalidArgument where a checkpoint has two tensors of one name.
Result<CompareReport> CompareCheckpoints(const StoredCheckpoint& first, const StoredCheckpoint& second,
                                         const std::function<void(const TensorDifference&)>& on_difference = {});

}  // namespace gcsflux
