#pragma once

#include <vector>

#include "checkpoints/state_file.h"

namespace gcsflux::internal {

/// A tensor of a state, in row-major order.
struct PlainTensor {
  std::string name = {};
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape = {};
  std::span<const std::byte> bytes = {};  ///< In the state's memory, or in `gathered`.
  std::string gathered = {};              ///< The elements, if they are not contiguous in the state.
};

/// Returns all tensors of the state, each by itself. Memory that several tensors share is in each of them. They borrow
/// the contents. Returns kInvalidArgument if one lies outside its storage.
Result<std::vector<PlainTensor>> PlainTensors(const StateContents& contents);

/// As WriteStateFile(), in safetensors. Writes these tensors, and the values of the whole state into the metadata
/// (formats/state_json.h). Returns kInvalidArgument as WriteSafetensors(), and for values that the metadata cannot
/// hold.
Result<void> WriteSafetensorsState(const StateContents& contents, const std::vector<const PlainTensor*>& tensors,
                                   const ByteSink& sink, std::vector<StepTensor>& written);

}  // namespace gcsflux::internal
