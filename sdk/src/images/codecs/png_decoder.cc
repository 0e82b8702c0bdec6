#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <vector>

#include "images/codecs/image_decoder.h"
#include "images/codecs/split_pixels.h"

namespace gcsflux::internal {
namespace {

constexpr png_alloc_size_t kMaxChunk = 1 << 20;  // A palette has 768 bytes.
// Texts, profiles and what would change the values of pixels. Their names, each with a zero behind it.
constexpr png_byte kIgnored[] = "cHRM\0eXIf\0gAMA\0iCCP\0iTXt\0sPLT\0sRGB\0tEXt\0zTXt";
constexpr png_fixed_point kRed = 29'900;
constexpr png_fixed_point kGreen = 58'700;

struct PngFile {
  png_structp decoder;
  png_infop info;
  const png_byte* next;
  std::size_t left;
  std::array<char, 160> message;
};

// --------------------------------------------------------------------------- what libpng calls, and what calls libpng
//
// libpng reports an error by longjmp(). Between it and the functions below there is no object with a destructor.

[[noreturn]] void Fail(png_structp decoder, png_const_charp message) {
  auto* file = static_cast<PngFile*>(png_get_error_ptr(decoder));
  std::snprintf(file->message.data(), file->message.size(), "%s", message);
  png_longjmp(decoder, 1);
}

void IgnoreWarning(png_structp /*decoder*/, png_const_charp /*message*/) {}

void ReadBytes(png_structp decoder, png_bytep to, std::size_t count) {
  auto* file = static_cast<PngFile*>(png_get_io_ptr(decoder));
  if (count > file->left) png_error(decoder, "it ends early");
  std::copy_n(file->next, count, to);
  file->next += count;
  file->left -= count;
}

bool ReadHeader(PngFile& file) {
  if (setjmp(png_jmpbuf(file.decoder)) != 0) return false;
  png_set_read_fn(file.decoder, &file, &ReadBytes);
  png_set_crc_action(file.decoder, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_set_chunk_malloc_max(file.decoder, kMaxChunk);
  png_set_user_limits(file.decoder, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // max_pixels is the limit.
  png_set_keep_unknown_chunks(file.decoder, PNG_HANDLE_CHUNK_NEVER, kIgnored, sizeof(kIgnored) / 5);
  png_read_info(file.decoder, file.info);
  return true;
}

// Rows of the decoder have as many bytes for a pixel as there are channels.
bool ChooseForm(PngFile& file, std::uint32_t channels) {
  if (setjmp(png_jmpbuf(file.decoder)) != 0) return false;
  const png_byte colours = png_get_color_type(file.decoder, file.info);
  const bool has_colour = (colours & PNG_COLOR_MASK_COLOR) != 0;
  const bool has_alpha =
      (colours & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(file.decoder, file.info, PNG_INFO_tRNS) != 0;
  png_set_expand(file.decoder);
  png_set_scale_16(file.decoder);
  if (channels == 1 && has_colour) png_set_rgb_to_gray_fixed(file.decoder, PNG_ERROR_ACTION_NONE, kRed, kGreen);
  if (channels != 1 && !has_colour) png_set_gray_to_rgb(file.decoder);
  if (channels == 4 && !has_alpha) png_set_add_alpha(file.decoder, 0xff, PNG_FILLER_AFTER);
  if (channels != 4 && has_alpha) png_set_strip_alpha(file.decoder);
  png_set_interlace_handling(file.decoder);
  png_read_update_info(file.decoder, file.info);
  return true;
}

bool ReadRow(PngFile& file, std::uint8_t* row) {
  if (setjmp(png_jmpbuf(file.decoder)) != 0) return false;
  png_read_row(file.decoder, row, nullptr);
  return true;
}

bool ReadEnd(PngFile& file) {
  if (setjmp(png_jmpbuf(file.decoder)) != 0) return false;
  png_read_end(file.decoder, nullptr);
  return true;
}

// -------------------------------------------------------------------------------------------------------- the decoder

class PngDecoder : public ImageDecoder {
 public:
  explicit PngDecoder(std::string_view name) : name_(name) {
    file_.decoder = png_create_read_struct(PNG_LIBPNG_VER_STRING, &file_, &Fail, &IgnoreWarning);
    if (file_.decoder != nullptr) file_.info = png_create_info_struct(file_.decoder);
  }
  ~PngDecoder() override { png_destroy_read_struct(&file_.decoder, &file_.info, nullptr); }

  Result<void> Open(std::span<const std::byte> bytes, const DecodeSettings& settings) {
    if (file_.info == nullptr) return Undecodable(name_, "no memory to decode PNG");
    file_.next = reinterpret_cast<const png_byte*>(bytes.data());
    file_.left = bytes.size();
    if (!ReadHeader(file_)) return Damaged();
    const png_uint_32 height = png_get_image_height(file_.decoder, file_.info);
    const png_uint_32 width = png_get_image_width(file_.decoder, file_.info);
    if (auto checked = CheckPixels(name_, height, width, settings); !checked) return checked;
    if (!ChooseForm(file_, settings.channels)) return Damaged();
    shape_ = {settings.channels, height, width};
    if (png_get_rowbytes(file_.decoder, file_.info) != std::size_t{width} * settings.channels) {
      return Undecodable(name_, "a PNG file of an unknown form");
    }
    return {};
  }

  [[nodiscard]] ImageShape shape() const override { return shape_; }

  Result<void> Decode(std::uint8_t* planes) override {
    const bool is_interlaced = png_get_interlace_type(file_.decoder, file_.info) != PNG_INTERLACE_NONE;
    if (!(is_interlaced ? DecodePasses(planes) : DecodeRows(planes)) || !ReadEnd(file_)) return Damaged();
    return {};
  }

 private:
  [[nodiscard]] std::size_t row_bytes() const { return std::size_t{shape_.width} * shape_.channels; }

  bool DecodeRows(std::uint8_t* planes) {
    std::vector<std::uint8_t> row(shape_.channels == 1 ? 0 : row_bytes());
    for (std::size_t y = 0; y < shape_.height; ++y) {
      std::uint8_t* const to = planes + y * shape_.width;
      if (!ReadRow(file_, shape_.channels == 1 ? to : row.data())) return false;
      if (shape_.channels != 1) Split(row.data(), to);
    }
    return true;
  }

  // Each pass adds pixels to the rows of the passes before.
  bool DecodePasses(std::uint8_t* planes) {
    std::vector<std::uint8_t> pixels(shape_.bytes());
    for (int pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; ++pass) {
      for (std::size_t y = 0; y < shape_.height; ++y) {
        if (!ReadRow(file_, pixels.data() + y * row_bytes())) return false;
      }
    }
    for (std::size_t y = 0; y < shape_.height; ++y) {
      Split(pixels.data() + y * row_bytes(), planes + y * shape_.width);
    }
    return true;
  }

  void Split(const std::uint8_t* row, std::uint8_t* to) const {
    SplitPixels({row, shape_.width, shape_.channels}, shape_.channels, to, shape_.plane());
  }

  [[nodiscard]] Error Damaged() const {
    return Undecodable(name_, std::string("a PNG file that cannot be decoded: ") + file_.message.data());
  }

  const std::string name_;
  PngFile file_ = {};
  ImageShape shape_ = {};
};

}  // namespace

OpenedImage OpenPng(std::string_view name, std::span<const std::byte> bytes, const DecodeSettings& settings) {
  auto decoder = std::make_unique<PngDecoder>(name);
  if (auto opened = decoder->Open(bytes, settings); !opened) return opened.error();
  return std::unique_ptr<ImageDecoder>(std::move(decoder));
}

}  // namespace gcsflux::internal
