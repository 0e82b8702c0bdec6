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
  std::string gathered = {};              ///< Of a tensor whose elements do not follow each other.
};

/// All tensors of the state, each by itself: those that share memory are there more than once. They borrow the
/// contents. kInvalidArgument if one lies outside its storage.
Result<std::vector<PlainTensor>> PlainTensors(const StateContents& contents);

/// As WriteStateFile(), in safetensors: these tensors, and the values of the whole state in the metadata
/// (formats/state_json.h). kInvalidArgument as WriteSafetensors(), and for values that have no place there.
Result<void> WriteSafetensorsState(const StateContents& contents, const std::vector<const PlainTensor*>& tensors,
                                   const ByteSink& sink, std::vector<StepTensor>& written);

}  // namespace gcsflux::internal
