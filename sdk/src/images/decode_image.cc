#include <ATen/ops/empty.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "formats/png.h"
#include "gcsflux/torch/images.h"
#include "images/codecs/image_decoder.h"
#include "images/image_tensor.h"

namespace gcsflux {
namespace {

constexpr std::int64_t kMostSide = 0x7fffffff;

internal::DecodeSettings SettingsOf(const ImageOptions& options) {
  const auto channels = static_cast<int>(options.channels);
  if (channels != 1 && channels != 3 && channels != 4) {
    throw internal::WrongImage("ImageOptions::channels is " + std::to_string(channels) + ", not one of ImageChannels");
  }
  internal::DecodeSettings settings{.channels = static_cast<std::uint32_t>(channels), .max_pixels = options.max_pixels};
  if (!options.at_least) return settings;
  for (const std::int64_t side : {options.at_least->height, options.at_least->width}) {
    if (side < 1 || side > kMostSide) throw internal::WrongImage("ImageOptions::at_least has a side of no pixels");
  }
  settings.may_scale = true;
  settings.min_height = static_cast<std::uint32_t>(options.at_least->height);
  settings.min_width = static_cast<std::uint32_t>(options.at_least->width);
  return settings;
}

}  // namespace

at::Tensor DecodeImage(std::string_view name, std::span<const std::byte> bytes, const ImageOptions& options) {
  const auto decoder = ValueOrThrow(internal::OpenImage(name, bytes, SettingsOf(options)));
  const internal::ImageShape shape = decoder->shape();
  at::Tensor image = at::empty({shape.channels, shape.height, shape.width}, at::kByte);
  ValueOrThrow(decoder->Decode(image.data_ptr<std::uint8_t>()));
  return image;
}

std::vector<std::byte> EncodePng(const at::Tensor& image) {
  const ImageSize size = SizeOf(image);
  const std::int64_t channels = image.size(0);
  if (channels != 1 && channels != 3 && channels != 4) {
    throw internal::WrongImage("a PNG file has 1, 3 or 4 channels, not " + std::to_string(channels));
  }
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;  // A chunk of PNG has less than 2 GiB.
  if (image.numel() > kMostBytes) throw internal::WrongImage("an image of more than 1 GiB cannot be written as PNG");
  const at::Tensor pixels = image.contiguous();
  const std::string file = internal::EncodePng(
      std::span<const std::uint8_t>(pixels.data_ptr<std::uint8_t>(), static_cast<std::size_t>(pixels.numel())),
      static_cast<std::uint32_t>(size.height), static_cast<std::uint32_t>(size.width), static_cast<int>(channels));
  const auto bytes = std::as_bytes(std::span(file));
  return {bytes.begin(), bytes.end()};
}

}  // namespace gcsflux
