#include <array>
#include <csetjmp>
#include <cstdio>
#include <vector>

// It needs what <cstdio> declares.
#include <jpeglib.h>
#ifndef JCS_ALPHA_EXTENSIONS
#error "libjpeg-turbo is needed: another libjpeg does not decode to four bytes for a pixel"
#endif
#include <jerror.h>

#include "images/codecs/image_decoder.h"
#include "images/codecs/split_pixels.h"

namespace gcsflux::internal {
namespace {

// A file of a few bytes can demand hours by scans over the same pixels. Encoders write about ten.
constexpr int kMaxScans = 100;
constexpr std::size_t kNotAligned = 4;  // Bytes behind an address that is aligned, as those of vectors are.

struct JpegFile {
  jpeg_decompress_struct decoder;
  jpeg_error_mgr errors;
  jpeg_progress_mgr progress;
  std::jmp_buf failed;
  std::array<char, JMSG_LENGTH_MAX> message;
};

// ------------------------------------------------------------------------- what libjpeg calls, and what calls libjpeg
//
// libjpeg reports an error by longjmp(). Between it and the functions below there is no object with a destructor.

[[noreturn]] void Fail(j_common_ptr common) {
  auto* file = static_cast<JpegFile*>(common->client_data);
  common->err->format_message(common, file->message.data());
  std::longjmp(file->failed, 1);
}

[[noreturn]] void FailWith(j_common_ptr common, const char* message) {
  auto* file = static_cast<JpegFile*>(common->client_data);
  std::snprintf(file->message.data(), file->message.size(), "%s", message);
  std::longjmp(file->failed, 1);
}

// libjpeg warns of damage, and makes up the pixels. Other warnings are about files that all programs read.
bool IsDamage(int warning) {
  return warning == JWRN_HIT_MARKER || warning == JWRN_HUFF_BAD_CODE || warning == JWRN_JPEG_EOF ||
         warning == JWRN_MUST_RESYNC || warning == JWRN_BOGUS_PROGRESSION || warning == JWRN_ARITH_BAD_CODE;
}

void OnMessage(j_common_ptr common, int level) {
  if (level < 0 && IsDamage(common->err->msg_code)) Fail(common);
}

void OnProgress(j_common_ptr common) {
  const auto* decoder = reinterpret_cast<j_decompress_ptr>(common);
  if (decoder->input_scan_number > kMaxScans) FailWith(common, "more than 100 scans");
}

bool ReadHeader(JpegFile& file, const unsigned char* bytes, unsigned long size) {
  if (setjmp(file.failed) != 0) return false;
  jpeg_create_decompress(&file.decoder);
  file.progress.progress_monitor = &OnProgress;
  file.decoder.progress = &file.progress;
  jpeg_mem_src(&file.decoder, bytes, size);
  jpeg_read_header(&file.decoder, TRUE);
  return true;
}

bool ChooseSize(JpegFile& file, J_COLOR_SPACE colours, unsigned int divisor) {
  if (setjmp(file.failed) != 0) return false;
  file.decoder.out_color_space = colours;
  file.decoder.scale_num = 1;
  file.decoder.scale_denom = divisor;
  jpeg_calc_output_dimensions(&file.decoder);
  return true;
}

bool Start(JpegFile& file) {
  if (setjmp(file.failed) != 0) return false;
  jpeg_start_decompress(&file.decoder);
  return true;
}

bool ReadRow(JpegFile& file, std::uint8_t* row) {
  if (setjmp(file.failed) != 0) return false;
  JSAMPROW rows[1] = {row};
  if (jpeg_read_scanlines(&file.decoder, rows, 1) == 1) return true;
  std::snprintf(file.message.data(), file.message.size(), "no more rows");
  return false;
}

bool Finish(JpegFile& file) {
  if (setjmp(file.failed) != 0) return false;
  jpeg_finish_decompress(&file.decoder);  // Reads up to the end of the image.
  return true;
}

// -------------------------------------------------------------------------------------------------------- the decoder

// In place. Adobe's programs store the complements of the inks.
void RgbOfCmyk(std::span<std::uint8_t> pixels, bool is_adobe) {
  for (std::size_t i = 0; i + 4 <= pixels.size(); i += 4) {
    const unsigned int flip = is_adobe ? 0 : 0xff;
    const unsigned int black = pixels[i + 3] ^ flip;
    for (std::size_t c = i; c < i + 3; ++c) {
      pixels[c] = static_cast<std::uint8_t>(((pixels[c] ^ flip) * black + 127) / 255);
    }
    pixels[i + 3] = 0xff;
  }
}

void GreyOfRgb(std::span<const std::uint8_t> pixels, std::uint8_t* grey) {
  for (std::size_t i = 0; i + 4 <= pixels.size(); i += 4) {
    *grey++ = static_cast<std::uint8_t>((299 * pixels[i] + 587 * pixels[i + 1] + 114 * pixels[i + 2] + 500) / 1000);
  }
}

class JpegDecoder : public ImageDecoder {
 public:
  explicit JpegDecoder(std::string_view name) : name_(name) {
    file_.decoder.err = jpeg_std_error(&file_.errors);
    file_.errors.error_exit = &Fail;
    file_.errors.emit_message = &OnMessage;
    file_.decoder.client_data = &file_;
  }
  ~JpegDecoder() override { jpeg_destroy_decompress(&file_.decoder); }

  Result<void> Open(std::span<const std::byte> bytes, const DecodeSettings& settings) {
    if (!ReadHeader(file_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size())) return Damaged();
    if (auto checked = CheckPixels(name_, file_.decoder.image_height, file_.decoder.image_width, settings); !checked) {
      return checked;
    }
    has_cmyk_ = file_.decoder.jpeg_color_space == JCS_CMYK || file_.decoder.jpeg_color_space == JCS_YCCK;
    channels_ = settings.channels;
    // Four bytes for a pixel: they are split faster than three.
    const J_COLOR_SPACE colours = has_cmyk_ ? JCS_CMYK : channels_ == 1 ? JCS_GRAYSCALE : JCS_EXT_RGBA;
    if (!ChooseSize(file_, colours, DivisorFor(settings))) return Damaged();
    return {};
  }

  [[nodiscard]] ImageShape shape() const override {
    return {channels_, file_.decoder.output_height, file_.decoder.output_width};
  }

  Result<void> Decode(std::uint8_t* planes) override {
    if (!Start(file_)) return Damaged();
    const ImageShape size = shape();
    const bool is_direct = channels_ == 1 && !has_cmyk_;
    // libjpeg-turbo writes past the caches into a row that is aligned; this one is read at once. So it is not.
    std::vector<std::uint8_t> memory(is_direct ? 0 : kNotAligned + std::size_t{size.width} * 4);
    const std::span<std::uint8_t> row = std::span(memory).subspan(is_direct ? 0 : kNotAligned);
    for (std::size_t y = 0; y < size.height; ++y) {
      std::uint8_t* const to = planes + y * size.width;
      if (!ReadRow(file_, is_direct ? to : row.data())) return Damaged();
      if (has_cmyk_) RgbOfCmyk(row, file_.decoder.saw_Adobe_marker != FALSE);
      if (is_direct) continue;
      if (channels_ == 1) {
        GreyOfRgb(row, to);
      } else {
        SplitPixels({row.data(), size.width, 4}, channels_, to, size.plane());
      }
    }
    if (!Finish(file_)) return Damaged();
    return {};
  }

 private:
  // These are the divisors for which libjpeg-turbo has fast code.
  [[nodiscard]] unsigned int DivisorFor(const DecodeSettings& settings) const {
    if (!settings.may_scale) return 1;
    for (const unsigned int divisor : {8U, 4U, 2U}) {
      const auto scaled = [&](std::uint64_t side) { return (side + divisor - 1) / divisor; };
      if (scaled(file_.decoder.image_height) >= settings.min_height &&
          scaled(file_.decoder.image_width) >= settings.min_width) {
        return divisor;
      }
    }
    return 1;
  }

  [[nodiscard]] Error Damaged() const {
    return Undecodable(name_, std::string("a JPEG file that cannot be decoded: ") + file_.message.data());
  }

  const std::string name_;
  JpegFile file_ = {};
  std::uint32_t channels_ = 0;
  bool has_cmyk_ = false;
};

}  // namespace

OpenedImage OpenJpeg(std::string_view name, std::span<const std::byte> bytes, const DecodeSettings& settings) {
  auto decoder = std::make_unique<JpegDecoder>(name);
  if (auto opened = decoder->Open(bytes, settings); !opened) return opened.error();
  return std::unique_ptr<ImageDecoder>(std::move(decoder));
}

}  // namespace gcsflux::internal
