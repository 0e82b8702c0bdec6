#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <thread>

#include "images/image_files.h"
#include "images/jpeg_file.h"
#include "images/png_chunks.h"
#include "torch/bucket_test.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr ImageChannels kAllChannels[] = {ImageChannels::kGrey, ImageChannels::kRgb, ImageChannels::kRgba};

std::vector<std::byte> JpegOf(const at::Tensor& image, const JpegForm& form = {}) {
  return WriteJpeg(Interleaved(image), static_cast<unsigned int>(image.size(1)),
                   static_cast<unsigned int>(image.size(2)), form);
}

at::Tensor GreyOf(const at::Tensor& rgb) {
  const at::Tensor colours = rgb.to(at::kDouble);
  return (0.299 * colours[0] + 0.587 * colours[1] + 0.114 * colours[2]).round().to(at::kByte).unsqueeze(0);
}

Error ErrorOfBytes(std::span<const std::byte> bytes, const ImageOptions& options = {}) {
  return ThrownBy([&] { DecodeImage("cats/7.img", bytes, options); });
}

// --------------------------------------------------------------------------------------------------------------- PNG

TEST(PngImage, RoundTripsEveryPixelOfEachNumberOfChannels) {
  for (const ImageChannels channels : kAllChannels) {
    for (const std::int64_t width : {1, 15, 16, 17, 64}) {  // Pixels are split by 16.
      const at::Tensor image = SlopingImage(static_cast<int>(channels), 9, width);
      const at::Tensor decoded = DecodeImage("a.png", EncodePng(image), {.channels = channels});
      EXPECT_TRUE(at::equal(decoded, image)) << static_cast<int>(channels) << " channels, width " << width;
      EXPECT_TRUE(decoded.is_contiguous());
    }
  }
}

TEST(PngImage, GetsTheChannelsThatAreAskedFor) {
  const at::Tensor rgba = SlopingImage(4, 5, 7);
  const auto file = EncodePng(rgba);
  EXPECT_TRUE(at::equal(DecodeImage("a.png", file), rgba.narrow(0, 0, 3)));
  EXPECT_LE(Difference(DecodeImage("a.png", file, {.channels = ImageChannels::kGrey}), GreyOf(rgba)), 1);

  const at::Tensor grey = SlopingImage(1, 5, 7);
  EXPECT_TRUE(at::equal(DecodeImage("a.png", EncodePng(grey)), grey.expand({3, 5, 7})));
  const at::Tensor opaque = DecodeImage("a.png", EncodePng(grey), {.channels = ImageChannels::kRgba});
  EXPECT_TRUE(at::equal(opaque.narrow(0, 0, 3), grey.expand({3, 5, 7})));
  EXPECT_EQ(opaque[3].min().item<int>(), 255);
}

TEST(PngImage, ReadsPalettesWithTransparencySixteenBitsSingleBitsAndInterlacedFiles) {
  // 2x1, palette: red, and green of alpha 7.
  const auto palette =
      PngFile({.width = 2, .height = 1, .depth = 8, .colours = 3},
              {{"PLTE", std::string("\xff\0\0\0\xff\0", 6)}, {"tRNS", "\xff\x07"}}, std::string("\0\0\1", 3));
  const auto rgba = DecodeImage("a.png", palette, {.channels = ImageChannels::kRgba});
  EXPECT_THAT(Interleaved(rgba), ElementsAre(255, 0, 0, 255, 0, 255, 0, 7));

  const auto deep = PngFile({.width = 1, .height = 1, .depth = 16, .colours = 0}, {}, std::string("\0\x80\x40", 3));
  EXPECT_THAT(Interleaved(DecodeImage("a.png", deep, {.channels = ImageChannels::kGrey})), ElementsAre(0x80));

  const auto bits = PngFile({.width = 3, .height = 1, .depth = 1, .colours = 0}, {}, std::string("\0\xa0", 2));
  EXPECT_THAT(Interleaved(DecodeImage("a.png", bits, {.channels = ImageChannels::kGrey})), ElementsAre(255, 0, 255));

  // 2x2, in the passes 1 (0, 0), 6 (0, 1) and 7 (the second row).
  const auto passes = PngFile({.width = 2, .height = 2, .depth = 8, .colours = 0, .is_interlaced = true}, {},
                              std::string("\0\1\0\2\0\3\4", 7));
  EXPECT_THAT(Interleaved(DecodeImage("a.png", passes, {.channels = ImageChannels::kGrey})), ElementsAre(1, 2, 3, 4));
}

TEST(PngImage, IsNotChangedByGammaOrProfiles) {
  const auto file = PngFile({.width = 1, .height = 1, .depth = 8, .colours = 2},
                            {{"gAMA", std::string("\0\0\x27\x10", 4)}, {"iCCP", "no profile at all"}},
                            std::string("\0\x40\x80\xc0", 4));
  EXPECT_THAT(Interleaved(DecodeImage("a.png", file)), ElementsAre(0x40, 0x80, 0xc0));
  EXPECT_THAT(Interleaved(DecodeImage("a.png", file, {.channels = ImageChannels::kGrey})), ElementsAre(116));
}

TEST(PngImage, IsRefusedWhereverItEnds) {
  const auto file = EncodePng(SlopingImage(3, 6, 8));
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_EQ(ErrorOfBytes(std::span(file).first(size)).code, ErrorCode::kUndecodable) << size;
  }
}

TEST(PngImage, IsRefusedIfAByteDiffers) {
  const at::Tensor image = SlopingImage(3, 6, 8);
  auto file = EncodePng(image);
  for (std::byte& byte : file) {
    byte ^= std::byte{0x10};
    EXPECT_EQ(ErrorOfBytes(file).code, ErrorCode::kUndecodable) << &byte - file.data();
    byte ^= std::byte{0x10};
  }
  EXPECT_TRUE(at::equal(DecodeImage("a.png", file), image));
}

// -------------------------------------------------------------------------------------------------------------- JPEG

TEST(JpegImage, IsCloseToWhatWasStored) {
  for (const bool is_progressive : {false, true}) {
    for (const std::int64_t width : {1, 15, 16, 17, 90}) {
      const at::Tensor image = SlopingImage(3, 40, width);
      const auto file = JpegOf(image, {.is_progressive = is_progressive});
      EXPECT_LE(Difference(DecodeImage("a.jpg", file), image), 40) << width;
      EXPECT_LE(Difference(DecodeImage("a.jpg", file, {.channels = ImageChannels::kGrey}), GreyOf(image)), 8) << width;
    }
  }
}

TEST(JpegImage, GetsTheChannelsThatAreAskedFor) {
  const at::Tensor image = SlopingImage(3, 16, 48);
  const at::Tensor rgb = DecodeImage("a.jpg", JpegOf(image));
  const at::Tensor rgba = DecodeImage("a.jpg", JpegOf(image), {.channels = ImageChannels::kRgba});
  EXPECT_TRUE(at::equal(rgba.narrow(0, 0, 3), rgb));
  EXPECT_EQ(rgba[3].min().item<int>(), 255);

  const at::Tensor grey = SlopingImage(1, 16, 48);
  const auto grey_file = JpegOf(grey, {.channels = 1});
  const at::Tensor decoded = DecodeImage("a.jpg", grey_file, {.channels = ImageChannels::kGrey});
  EXPECT_LE(Difference(decoded, grey), 6);
  EXPECT_TRUE(at::equal(DecodeImage("a.jpg", grey_file), decoded.expand({3, 16, 48})));
}

TEST(JpegImage, OfFourInksBecomesColours) {
  // Adobe's programs store 255 for no ink.
  at::Tensor inks = at::full({4, 16, 16}, 255, at::kByte);
  inks[0].fill_(51);
  inks[3].fill_(204);
  const auto file = JpegOf(inks, {.channels = 4, .quality = 100});
  const at::Tensor rgb = DecodeImage("a.jpg", file);
  EXPECT_NEAR(rgb[0].to(at::kFloat).mean().item<double>(), 51 * 204 / 255.0, 3);
  EXPECT_NEAR(rgb[2].to(at::kFloat).mean().item<double>(), 204, 3);
  EXPECT_LE(Difference(DecodeImage("a.jpg", file, {.channels = ImageChannels::kGrey}), GreyOf(rgb)), 1);
}

TEST(JpegImage, IsDecodedSmallerButNotBelowTheSizeThatIsNeeded) {
  const auto file = JpegOf(SlopingImage(3, 120, 200));
  const auto size_for = [&](std::int64_t height, std::int64_t width) {
    return SizeOf(DecodeImage("a.jpg", file, {.at_least = ImageSize{height, width}}));
  };
  EXPECT_EQ(size_for(15, 25), (ImageSize{15, 25}));
  EXPECT_EQ(size_for(16, 16), (ImageSize{30, 50}));
  EXPECT_EQ(size_for(16, 51), (ImageSize{60, 100}));
  EXPECT_EQ(size_for(61, 1), (ImageSize{120, 200}));
  EXPECT_EQ(size_for(4000, 4000), (ImageSize{120, 200}));
  const at::Tensor half = DecodeImage("a.jpg", file, {.at_least = ImageSize{60, 100}});
  EXPECT_LE(Difference(half, ResizeImage(DecodeImage("a.jpg", file), {60, 100})), 12);
}

TEST(JpegImage, IsRefusedWhereverItEnds) {
  for (const bool is_progressive : {false, true}) {
    const auto file = JpegOf(SlopingImage(3, 24, 24), {.is_progressive = is_progressive});
    for (std::size_t size = 0; size < file.size(); ++size) {
      EXPECT_EQ(ErrorOfBytes(std::span(file).first(size)).code, ErrorCode::kUndecodable) << size;
    }
  }
}

TEST(JpegImage, IsDecodedOrRefusedWhicheverByteDiffers) {
  const auto whole = JpegOf(SlopingImage(3, 24, 24), {.is_progressive = true});
  int refused = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    auto file = whole;
    file[i] ^= std::byte{0x55};
    try {
      DecodeImage("a.jpg", file, {.max_pixels = 1'000'000});
    } catch (const StorageError& error) {
      EXPECT_EQ(error.error().code, ErrorCode::kUndecodable);
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(JpegImage, WithAThousandScansIsRefused) {
  auto file = JpegOf(SlopingImage(1, 8, 8), {.channels = 1, .is_progressive = true});
  // The last scan again and again: it begins with the last marker SOS, and ends before EOI.
  constexpr std::byte kScan[] = {std::byte{0xff}, std::byte{0xda}};
  const auto begin = std::find_end(file.begin(), file.end(), std::begin(kScan), std::end(kScan));
  ASSERT_NE(begin, file.end());
  const std::vector<std::byte> scan(begin, file.end() - 2);
  for (int i = 0; i < 1000; ++i) file.insert(file.end() - 2, scan.begin(), scan.end());
  EXPECT_THAT(ErrorOfBytes(file).message, HasSubstr("more than 100 scans"));
}

// --------------------------------------------------------------------------------------------------------------- both

TEST(DecodeImage, NamesTheObjectAndWhatIsWrong) {
  EXPECT_THAT(ErrorOfBytes({}).message, AllOf(HasSubstr("cats/7.img"), HasSubstr("neither a JPEG nor a PNG file")));
  const auto png = EncodePng(SlopingImage(1, 2, 2));
  EXPECT_THAT(ErrorOfBytes(std::span(png).first(40)).message,
              AllOf(HasSubstr("cats/7.img: a PNG file that cannot be decoded"), HasSubstr("it ends early")));
  const auto jpeg = JpegOf(SlopingImage(3, 20, 20));
  EXPECT_THAT(
      ErrorOfBytes(std::span(jpeg).first(jpeg.size() - 9)).message,
      AllOf(HasSubstr("cats/7.img: a JPEG file that cannot be decoded: "), HasSubstr("Premature end of JPEG file")));
}

TEST(DecodeImage, RefusesALargeImageByItsHeader) {
  const auto png = PngFile({.width = 2'000'000'000, .height = 2'000'000'000, .depth = 8, .colours = 6}, {}, "");
  const Error error = ErrorOfBytes(png);
  EXPECT_EQ(error.code, ErrorCode::kUndecodable);
  EXPECT_THAT(error.message, AllOf(HasSubstr("cats/7.img"), HasSubstr("2000000000x2000000000 pixels"),
                                   HasSubstr("ImageOptions::max_pixels (67108864)")));
  const auto jpeg = JpegOf(SlopingImage(1, 20, 30), {.channels = 1});
  EXPECT_THAT(ErrorOfBytes(jpeg, {.max_pixels = 599}).message, HasSubstr("30x20 pixels"));
  EXPECT_EQ(SizeOf(DecodeImage("a.jpg", jpeg, {.max_pixels = 600})), (ImageSize{20, 30}));
  // Its coefficients take memory for all pixels, however small it is decoded.
  EXPECT_EQ(ErrorOfBytes(jpeg, {.at_least = ImageSize{1, 1}, .max_pixels = 599}).code, ErrorCode::kUndecodable);
}

TEST(DecodeImage, RefusesOptionsOutOfTheirRange) {
  const auto png = EncodePng(SlopingImage(1, 2, 2));
  EXPECT_EQ(ErrorOfBytes(png, {.channels = static_cast<ImageChannels>(2)}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorOfBytes(png, {.at_least = ImageSize{0, 4}}).code, ErrorCode::kInvalidArgument);
}

TEST(DecodeImage, DecodesOnSeveralThreads) {
  const at::Tensor image = SlopingImage(3, 64, 64);
  const auto png = EncodePng(image);
  const auto jpeg = JpegOf(image);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 20; ++n) {
        EXPECT_TRUE(at::equal(DecodeImage("a.png", png), image));
        EXPECT_EQ(ErrorOfBytes(std::span(jpeg).first(jpeg.size() / 2)).code, ErrorCode::kUndecodable);
      }
    });
  }
}

TEST(EncodePng, RefusesWhatIsNoImage) {
  for (const at::Tensor& tensor : {at::Tensor(), at::zeros({2, 4, 4}, at::kByte), at::zeros({3, 4, 4}),
                                   at::zeros({4, 4}, at::kByte), at::zeros({3, 0, 4}, at::kByte)}) {
    EXPECT_EQ(ThrownBy([&] { EncodePng(tensor); }).code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace gcsflux
