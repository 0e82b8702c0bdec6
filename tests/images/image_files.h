#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <span>
#include <vector>

#include "gcsflux/torch/images.h"

namespace gcsflux {

/// An image in which each pixel and each channel differs from its neighbours, and which JPEG keeps well.
inline at::Tensor SlopingImage(std::int64_t channels, std::int64_t height, std::int64_t width) {
  const at::Tensor x = at::linspace(0, 250, width).view({1, 1, width});
  const at::Tensor y = at::linspace(0, 200, height).view({1, height, 1});
  const at::Tensor c = at::linspace(0, 1, channels).view({channels, 1, 1});
  return (x * (1 - c) + y * c).round().to(at::kByte).contiguous();
}

/// The same bytes with the channels of a pixel together.
inline std::vector<std::uint8_t> Interleaved(const at::Tensor& image) {
  const at::Tensor pixels = image.permute({1, 2, 0}).contiguous();
  const auto* begin = pixels.data_ptr<std::uint8_t>();
  return {begin, begin + pixels.numel()};
}

/// The largest difference of two values.
inline int Difference(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kInt) - b.to(at::kInt)).abs().max().item<int>();
}

}  // namespace gcsflux
