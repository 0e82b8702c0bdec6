#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "gcsflux/torch/storage_error.h"

// Images of JPEG and PNG files as tensors, and what training does with them: the target gcsflux::images, which is there
// if libjpeg-turbo and libpng are. An image is a tensor of uint8 [channels, height, width], contiguous, on the CPU. All
// functions throw StorageError, and are thread-safe.
//
//     torch::data::Example<> Decode(const gcsflux::ListedObject& object, std::span<const std::byte> bytes,
//                                   const gcsflux::SampleContext& context) {
//       std::mt19937_64 random(context.seed);  // The same after a resumption, on any number of ranks and workers.
//       at::Tensor image = gcsflux::DecodeImage(object.name, bytes, {.at_least = gcsflux::ImageSize{224, 224}});
//       image = gcsflux::CropImage(image, gcsflux::RandomBox(gcsflux::SizeOf(image), random));
//       image = gcsflux::ResizeImage(image, {224, 224});
//       if (random() % 2 == 0) image = gcsflux::FlipImage(image);
//       return {image, Label(object.name)};
//     }
namespace gcsflux {

/// The channels of a decoded image; the value is their number.
enum class ImageChannels {
  kGrey = 1,  ///< Colours become 0.299 red + 0.587 green + 0.114 blue.
  kRgb = 3,   ///< A file's alpha is left out: pixels have the colours that are stored, also where they are transparent.
  kRgba = 4,  ///< Alpha is 255 where the file has none.
};

/// In pixels.
struct ImageSize {
  std::int64_t height = 0;  ///< Number of rows.
  std::int64_t width = 0;   ///< Number of columns.

  friend bool operator==(const ImageSize&, const ImageSize&) = default;
};

/// A part of an image, in pixels.
struct ImageBox {
  std::int64_t top = 0;   ///< Its first row.
  std::int64_t left = 0;  ///< Its first column.
  ImageSize size = {};    ///< Its rows and columns.

  friend bool operator==(const ImageBox&, const ImageBox&) = default;
};

/// How DecodeImage() decodes.
struct ImageOptions {
  ImageChannels channels = ImageChannels::kRgb;  ///< Of the tensor, also if the file has others.
  /// A JPEG image is decoded at 1/2, 1/4 or 1/8 of its size if both sides stay at least this long: less time and memory
  /// than to decode all of it. PNG has no such way. Set it if the image is resized to less afterwards.
  std::optional<ImageSize> at_least = {};
  /// An image with more pixels, by its header, is refused before memory is taken. A pixel takes a byte for each
  /// channel; while the file is decoded, up to 8 more if it is a progressive JPEG file, and 4 more if it is an
  /// interlaced PNG file. Raise it for larger images, lower it if many threads decode.
  std::uint64_t max_pixels = std::uint64_t{1} << 26;
};

/// Decodes a JPEG or a PNG file. Samples of 16 bits become 8, palettes become colours, CMYK becomes RGB. Profiles,
/// gamma and EXIF's orientation are not applied. `name` is for messages: of the object, or of the shard and its member.
///
/// Throws StorageError with kUndecodable and the name if the bytes are neither, or end early, or are damaged (each
/// checksum of PNG is compared; JPEG has none, so only what breaks its syntax is noticed), or the image is larger than
/// ImageOptions::max_pixels. Throws kInvalidArgument for options out of their range. DatasetOptions::max_skipped can
/// leave such objects out.
at::Tensor DecodeImage(std::string_view name, std::span<const std::byte> bytes, const ImageOptions& options = {});

/// The image as a PNG file: 1, 3 or 4 channels. Throws kInvalidArgument for another tensor.
std::vector<std::byte> EncodePng(const at::Tensor& image);

/// The last two dimensions. Throws kInvalidArgument if the tensor is no image.
ImageSize SizeOf(const at::Tensor& image);

/// Bilinear, with corners not aligned. With `antialias` each pixel is the mean of all that it covers, weighted by a
/// triangle, as Pillow and torchvision do it; without, of the four nearest ones, which is faster, and flickers if the
/// image becomes less than half as large. Alpha is a channel like the others. Throws kInvalidArgument if a side is not
/// between 1 and 65,535.
at::Tensor ResizeImage(const at::Tensor& image, ImageSize size, bool antialias = true);

/// A copy of the box. Throws kInvalidArgument if it is empty, or not within the image.
at::Tensor CropImage(const at::Tensor& image, const ImageBox& box);

/// Left and right exchanged.
at::Tensor FlipImage(const at::Tensor& image);

/// A random part of an image, by the rule of torchvision's RandomResizedCrop: `min_area` to 1 of its area, and a width
/// of 3/4 to 4/3 of the height; the largest such part in the middle if ten draws do not fit. The same numbers give the
/// same box: seed the generator with SampleContext::seed. Throws kInvalidArgument if `min_area` is not above 0 and at
/// most 1, or the size is empty.
ImageBox RandomBox(ImageSize image, std::mt19937_64& random, double min_area = 0.08);

}  // namespace gcsflux
