#include "images/jpeg_file.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

// It needs what <cstdio> declares.
#include <jpeglib.h>

namespace gcsflux {

std::vector<std::byte> WriteJpeg(std::span<const std::uint8_t> pixels, unsigned int height, unsigned int width,
                                 const JpegForm& form) {
  jpeg_compress_struct encoder{};
  jpeg_error_mgr errors{};
  encoder.err = jpeg_std_error(&errors);  // It ends the process.
  jpeg_create_compress(&encoder);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&encoder, &bytes, &size);
  encoder.image_height = height;
  encoder.image_width = width;
  encoder.input_components = form.channels;
  encoder.in_color_space = form.channels == 1 ? JCS_GRAYSCALE : form.channels == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&encoder);
  jpeg_set_quality(&encoder, form.quality, TRUE);
  if (form.channels == 4) encoder.write_Adobe_marker = TRUE;
  if (form.is_progressive) jpeg_simple_progression(&encoder);
  // First the means of blocks, then all else. libjpeg does not see it if the second scan comes again.
  constexpr jpeg_scan_info kTwoScans[] = {{1, {0}, 0, 0, 0, 0}, {1, {0}, 1, 63, 0, 0}};
  if (form.is_progressive && form.channels == 1) {
    encoder.scan_info = kTwoScans;
    encoder.num_scans = 2;
  }
  jpeg_start_compress(&encoder, TRUE);
  while (encoder.next_scanline < height) {
    const std::size_t begin = std::size_t{encoder.next_scanline} * width * static_cast<std::size_t>(form.channels);
    JSAMPROW rows[1] = {const_cast<std::uint8_t*>(pixels.data() + begin)};
    jpeg_write_scanlines(&encoder, rows, 1);
  }
  jpeg_finish_compress(&encoder);
  jpeg_destroy_compress(&encoder);
  const auto* begin = reinterpret_cast<const std::byte*>(bytes);
  std::vector<std::byte> file(begin, begin + size);
  std::free(bytes);
  return file;
}

}  // namespace gcsflux
