#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <span>

namespace gcsflux {

/// True if the tensor's memory has its elements in row-major order. libtorch calls views by conj() contiguous too, but
/// computes their elements when they are read.
inline bool IsPlain(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.is_contiguous() && !tensor.is_conj() && !tensor.is_neg();
}

/// True if the tensor has elements in memory, at strides: it is not undefined, sparse, quantised, nested or of the meta
/// device.
inline bool HasElements(const at::Tensor& tensor) {
  return tensor.defined() && !tensor.is_nested() && tensor.layout() == c10::kStrided && !tensor.is_meta() &&
         !tensor.is_quantized();
}

/// A plain tensor of the same elements: itself if it is plain, otherwise a copy.
inline at::Tensor PlainOf(const at::Tensor& tensor) {
  return tensor.detach().cpu().resolve_conj().resolve_neg().contiguous();
}

/// The memory of a plain tensor.
inline std::span<std::byte> BytesOf(const at::Tensor& tensor) {
  return {static_cast<std::byte*>(tensor.data_ptr()), tensor.nbytes()};
}

inline std::span<std::byte> BytesOf(const at::Storage& storage) {
  // Storage::data() is void* up to libtorch 1.13, and const void* since.
  return {static_cast<std::byte*>(storage.data_ptr().get()), storage.nbytes()};
}

}  // namespace gcsflux
