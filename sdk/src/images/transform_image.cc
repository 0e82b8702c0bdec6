#include <ATen/ops/_upsample_bilinear2d_aa.h>
#include <ATen/ops/upsample_bilinear2d.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "gcsflux/torch/images.h"
#include "images/image_tensor.h"

namespace gcsflux {
namespace {

constexpr std::int64_t kLongestSide = 65'535;
constexpr int kDraws = 10;
constexpr double kNarrowest = 3.0 / 4;  // Width by height.
constexpr double kWidest = 4.0 / 3;

std::string TextOf(const ImageSize& size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

// In [0, 1). The distributions of <random> differ from library to library.
double Uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

// From 0 to `last`.
std::int64_t Below(std::mt19937_64& random, std::int64_t last) {
  return std::min(last, static_cast<std::int64_t>(Uniform(random) * static_cast<double>(last + 1)));
}

ImageBox LargestInTheMiddle(const ImageSize& image) {
  ImageSize size = image;
  const auto height = static_cast<double>(image.height);
  const auto width = static_cast<double>(image.width);
  if (width / height < kNarrowest) size.height = std::max<std::int64_t>(1, std::llround(width / kNarrowest));
  if (width / height > kWidest) size.width = std::max<std::int64_t>(1, std::llround(height * kWidest));
  return {(image.height - size.height) / 2, (image.width - size.width) / 2, size};
}

}  // namespace

ImageSize SizeOf(const at::Tensor& image) {
  if (!image.defined() || image.dim() != 3 || image.scalar_type() != at::kByte || !image.device().is_cpu()) {
    throw internal::WrongImage("an image is a tensor of uint8 [channels, height, width] on the CPU");
  }
  if (image.numel() == 0) throw internal::WrongImage("an image has at least one pixel");
  return {image.size(1), image.size(2)};
}

at::Tensor ResizeImage(const at::Tensor& image, ImageSize size, bool antialias) {
  if (SizeOf(image) == size) return image;
  if (std::min(size.height, size.width) < 1 || std::max(size.height, size.width) > kLongestSide) {
    throw internal::WrongImage("an image cannot be resized to " + TextOf(size) + " pixels: a side is 1 to 65535");
  }
  const at::Tensor from = image.unsqueeze(0).to(at::kFloat);
  const std::array<std::int64_t, 2> sides = {size.height, size.width};
  const at::Tensor to = antialias ? at::_upsample_bilinear2d_aa(from, sides, /*align_corners=*/false)
                                  : at::upsample_bilinear2d(from, sides, /*align_corners=*/false);
  return to.round_().clamp_(0, 255).to(at::kByte).squeeze(0);
}

at::Tensor CropImage(const at::Tensor& image, const ImageBox& box) {
  const ImageSize whole = SizeOf(image);
  // Without sums, which could overflow.
  const auto fits = [](std::int64_t begin, std::int64_t length, std::int64_t all) {
    return begin >= 0 && length >= 1 && length <= all && begin <= all - length;
  };
  if (!fits(box.top, box.size.height, whole.height) || !fits(box.left, box.size.width, whole.width)) {
    throw internal::WrongImage("a box of " + TextOf(box.size) + " pixels at " + std::to_string(box.left) + ", " +
                               std::to_string(box.top) + " is not within an image of " + TextOf(whole));
  }
  // A view would keep the memory of the whole image.
  return image.narrow(1, box.top, box.size.height)
      .narrow(2, box.left, box.size.width)
      .clone(at::MemoryFormat::Contiguous);
}

at::Tensor FlipImage(const at::Tensor& image) {
  SizeOf(image);
  return image.flip(2);
}

ImageBox RandomBox(ImageSize image, std::mt19937_64& random, double min_area) {
  if (image.height < 1 || image.width < 1) throw internal::WrongImage("an image of no pixels has no part");
  if (!(min_area > 0 && min_area <= 1)) throw internal::WrongImage("RandomBox(): min_area is not in (0, 1]");
  const double area = static_cast<double>(image.height) * static_cast<double>(image.width);
  for (int draw = 0; draw < kDraws; ++draw) {
    const double part = area * (min_area + (1 - min_area) * Uniform(random));
    const double shape = std::exp(std::log(kNarrowest) + (std::log(kWidest) - std::log(kNarrowest)) * Uniform(random));
    const ImageSize size{std::llround(std::sqrt(part / shape)), std::llround(std::sqrt(part * shape))};
    if (size.height < 1 || size.height > image.height || size.width < 1 || size.width > image.width) continue;
    const std::int64_t top = Below(random, image.height - size.height);
    const std::int64_t left = Below(random, image.width - size.width);
    return {top, left, size};
  }
  return LargestInTheMiddle(image);
}

}  // namespace gcsflux
