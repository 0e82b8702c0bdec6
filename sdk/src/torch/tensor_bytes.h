#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <span>

namespace gcsflux {

/// The memory of a contiguous tensor.
inline std::span<std::byte> BytesOf(const at::Tensor& tensor) {
  return {static_cast<std::byte*>(tensor.data_ptr()), tensor.nbytes()};
}

inline std::span<std::byte> BytesOf(const at::Storage& storage) {
  // Storage::data() is void* up to libtorch 1.13, and const void* since.
  return {static_cast<std::byte*>(storage.data_ptr().get()), storage.nbytes()};
}

}  // namespace gcsflux
