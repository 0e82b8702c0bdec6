// How much does DecodeImage() cost beside libjpeg-turbo and libpng? Each decodes the same file into a new tensor: ours
// to planes of a tensor, the libraries alone to the order in which they deliver pixels. On one thread, without a
// network.
#include <ATen/ATen.h>
#include <benchmark/benchmark.h>
#include <png.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

// It needs what <cstdio> declares.
#include <jpeglib.h>

#include "gcsflux/torch/images.h"
#include "images/jpeg_file.h"

namespace gcsflux::bench {
namespace {

constexpr int kSide = 512;

// Smooth, with some noise, as photographs are.
at::Tensor Picture() {
  at::manual_seed(1);
  const at::Tensor coarse = (at::rand({3, 32, 32}) * 255).to(at::kByte);
  const at::Tensor smooth = ResizeImage(coarse, {kSide, kSide}).to(at::kFloat);
  return (smooth + at::randn({3, kSide, kSide}) * 4).clamp(0, 255).to(at::kByte).contiguous();
}

std::vector<std::byte> JpegPicture() {
  const at::Tensor pixels = Picture().permute({1, 2, 0}).contiguous();
  return WriteJpeg({pixels.data_ptr<std::uint8_t>(), static_cast<std::size_t>(pixels.numel())}, kSide, kSide,
                   {.quality = 90});
}

// Of the same allocator: in how far memory is new to the process makes a difference of a third.
at::Tensor Memory() { return at::empty({kSide, kSide, 3}, at::kByte); }

void Count(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * kSide * kSide * 3);
}

void Decode(benchmark::State& state, const std::vector<std::byte>& file, const ImageOptions& options = {}) {
  for (auto _ : state) benchmark::DoNotOptimize(DecodeImage("picture", file, options));
  Count(state);
}

void BM_Jpeg(benchmark::State& state) { Decode(state, JpegPicture()); }
BENCHMARK(BM_Jpeg);

void BM_JpegAlone(benchmark::State& state) {
  const auto file = JpegPicture();
  for (auto _ : state) {
    jpeg_decompress_struct decoder{};
    jpeg_error_mgr errors{};
    decoder.err = jpeg_std_error(&errors);  // It ends the process.
    jpeg_create_decompress(&decoder);
    jpeg_mem_src(&decoder, reinterpret_cast<const unsigned char*>(file.data()), file.size());
    jpeg_read_header(&decoder, TRUE);
    jpeg_start_decompress(&decoder);
    const at::Tensor pixels = Memory();
    while (decoder.output_scanline < decoder.output_height) {
      JSAMPROW rows[1] = {pixels.data_ptr<std::uint8_t>() + std::size_t{decoder.output_scanline} * kSide * 3};
      jpeg_read_scanlines(&decoder, rows, 1);
    }
    jpeg_finish_decompress(&decoder);
    jpeg_destroy_decompress(&decoder);
    benchmark::DoNotOptimize(pixels.data_ptr());
  }
  Count(state);
}
BENCHMARK(BM_JpegAlone);

void BM_JpegAtAQuarter(benchmark::State& state) {
  Decode(state, JpegPicture(), {.at_least = ImageSize{kSide / 4, kSide / 4}});
}
BENCHMARK(BM_JpegAtAQuarter);

void BM_Png(benchmark::State& state) { Decode(state, EncodePng(Picture())); }
BENCHMARK(BM_Png);

struct Unread {
  const std::byte* next;
};

void BM_PngAlone(benchmark::State& state) {
  const auto file = EncodePng(Picture());
  for (auto _ : state) {
    Unread unread{file.data()};
    png_structp decoder = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(decoder);
    if (setjmp(png_jmpbuf(decoder)) != 0) std::abort();
    png_set_read_fn(decoder, &unread, [](png_structp png, png_bytep to, std::size_t count) {
      auto* from = static_cast<Unread*>(png_get_io_ptr(png));
      std::copy_n(reinterpret_cast<const png_byte*>(from->next), count, to);
      from->next += count;
    });
    png_read_info(decoder, info);
    const at::Tensor pixels = Memory();
    auto* const begin = pixels.data_ptr<std::uint8_t>();
    for (int y = 0; y < kSide; ++y) png_read_row(decoder, begin + y * kSide * 3, nullptr);
    png_read_end(decoder, nullptr);
    png_destroy_read_struct(&decoder, &info, nullptr);
    benchmark::DoNotOptimize(pixels.data_ptr());
  }
  Count(state);
}
BENCHMARK(BM_PngAlone);

}  // namespace
}  // namespace gcsflux::bench
