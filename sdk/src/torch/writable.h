#pragma once

#include <ATen/MemoryOverlap.h>
#include <ATen/core/Tensor.h>
#include <c10/core/InferenceMode.h>

#include <optional>
#include <string>

#include "torch/tensor_bytes.h"

namespace gcsflux {

/// Why copy_() would refuse to write to the tensor. Nothing if it would not. Ask before any tensor changes.
inline std::optional<std::string> WhyNotWritable(const at::Tensor& tensor) {
  if (!HasElements(tensor)) {
    return "is sparse, quantised, nested or on the meta device, and has no elements to load into; materialise it "
           "before";
  }
  if (at::has_internal_overlap(tensor) == at::MemOverlap::Yes) {
    return "has elements that share memory, as expand() makes them; load into its clone()";
  }
  if (tensor.is_inference() && !c10::InferenceMode::is_enabled()) {
    return "was made in InferenceMode; load in InferenceMode, or into its clone()";
  }
  return std::nullopt;
}

}  // namespace gcsflux
