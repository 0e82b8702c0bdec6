#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gcsflux {

/// How a JPEG file is written.
struct JpegForm {
  int channels = 3;  ///< 1: grey, 3: colours, 4: CMYK as Adobe's programs store it.
  int quality = 95;
  bool is_progressive = false;  ///< In two scans if it is grey, and in ten if it has colours.
};

/// A JPEG file of pixels whose channels follow each other.
std::vector<std::byte> WriteJpeg(std::span<const std::uint8_t> pixels, unsigned int height, unsigned int width,
                                 const JpegForm& form = {});

}  // namespace gcsflux
