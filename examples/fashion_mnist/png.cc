#include "fashion_mnist/png.h"

#include <png.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace {

using PngImage = std::unique_ptr<png_image, void (*)(png_image*)>;

/// Frees what libpng holds for an image that was begun and not finished.
PngImage Own(png_image& image) {
  image.version = PNG_IMAGE_VERSION;
  return {&image, &png_image_free};
}

[[noreturn]] void Fail(const png_image& image) {
  throw std::runtime_error(std::string("not a readable PNG file: ") + image.message);
}

std::string SizeText(std::size_t rows, std::size_t columns) {
  return std::to_string(columns) + "x" + std::to_string(rows);
}

}  // namespace

std::vector<std::byte> EncodePng(std::span<const std::uint8_t> pixels, std::size_t rows, std::size_t columns) {
  png_image image{};
  const PngImage owner = Own(image);
  image.width = static_cast<png_uint_32>(columns);
  image.height = static_cast<png_uint_32>(rows);
  image.format = PNG_FORMAT_GRAY;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<std::byte> file(size);
  if (png_image_write_to_memory(&image, file.data(), &size, 0, pixels.data(), 0, nullptr) == 0) Fail(image);
  file.resize(size);
  return file;
}

void DecodePng(std::span<const std::byte> file, std::span<std::uint8_t> pixels, std::size_t rows, std::size_t columns) {
  png_image image{};
  const PngImage owner = Own(image);
  if (png_image_begin_read_from_memory(&image, file.data(), file.size()) == 0) Fail(image);
  if (image.height != rows || image.width != columns || pixels.size() != rows * columns) {
    throw std::runtime_error("a PNG file of " + SizeText(image.height, image.width) + " pixels, not of " +
                             SizeText(rows, columns));
  }
  image.format = PNG_FORMAT_GRAY;
  if (png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) == 0) Fail(image);
}
