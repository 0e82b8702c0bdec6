#include "images/codecs/png_encoder.h"

#include <png.h>

#include <string>

namespace gcsflux::internal {

// libpng's simplified interface catches its own longjmp().
Result<std::vector<std::byte>> WritePng(const std::uint8_t* pixels, const ImageShape& shape) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = shape.width;
  image.height = shape.height;
  image.format = shape.channels == 1 ? PNG_FORMAT_GRAY : shape.channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<std::byte> file(size);
  const bool is_written = png_image_write_to_memory(&image, file.data(), &size, 0, pixels, 0, nullptr) != 0;
  const std::string message = image.message;
  png_image_free(&image);
  if (!is_written) return Error{ErrorCode::kInvalidArgument, "an image cannot be written as PNG: " + message};
  file.resize(size);
  return file;
}

}  // namespace gcsflux::internal
