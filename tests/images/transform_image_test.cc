#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>

#include "images/image_files.h"
#include "torch/bucket_test.h"

namespace gcsflux {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

at::Tensor Row(const std::vector<std::uint8_t>& values) {
  return at::tensor(at::ArrayRef<std::uint8_t>(values), at::kByte).view({1, 1, -1});
}

std::vector<std::uint8_t> ValuesOf(const at::Tensor& image) { return Interleaved(image); }

TEST(ResizeImage, MeansOverAllPixelsIfAntialiased) {
  // A bright pixel between others: antialiasing keeps its light, four neighbours do not see it.
  const at::Tensor image = Row({0, 0, 0, 0, 240, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_GT(ResizeImage(image, {1, 2}).sum().item<int>(), 30);
  EXPECT_EQ(ResizeImage(image, {1, 2}, /*antialias=*/false).sum().item<int>(), 0);
}

TEST(ResizeImage, GivesTheValuesOfPillow) {
  // Image.fromarray(values).resize(size, Image.BILINEAR) of Pillow 9.4.
  EXPECT_THAT(ValuesOf(ResizeImage(Row({10, 20, 40, 80, 160, 250}), {1, 3})), ElementsAre(19, 68, 187));
  EXPECT_THAT(ValuesOf(ResizeImage(Row({10, 250, 40}), {1, 5})), ElementsAre(10, 106, 250, 124, 40));
}

TEST(ResizeImage, ReturnsTheImageIfTheSizeIsTheSame) {
  const at::Tensor image = SlopingImage(3, 5, 6);
  EXPECT_TRUE(at::equal(ResizeImage(image, {5, 6}), image));
  EXPECT_EQ(SizeOf(ResizeImage(image, {50, 1})), (ImageSize{50, 1}));
}

TEST(ResizeImage, RefusesSizesOutOfTheirRange) {
  const at::Tensor image = SlopingImage(3, 5, 6);
  for (const ImageSize size : {ImageSize{0, 5}, ImageSize{5, -1}, ImageSize{65'536, 5}}) {
    EXPECT_THAT(ThrownBy([&] { ResizeImage(image, size); }).message, HasSubstr("a side is 1 to 65535"));
  }
}

TEST(CropImage, CopiesTheBox) {
  const at::Tensor image = at::arange(24).to(at::kByte).view({2, 3, 4});
  const at::Tensor part = CropImage(image, {.top = 1, .left = 2, .size = {2, 1}});
  EXPECT_TRUE(at::equal(part, at::tensor({6, 10, 18, 22}, at::kByte).view({2, 2, 1})));
  EXPECT_EQ(part.storage().nbytes(), 4U);
}

TEST(CropImage, RefusesABoxThatIsNotWithinTheImage) {
  const at::Tensor image = SlopingImage(3, 5, 6);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const ImageBox& box : {ImageBox{0, 0, {6, 1}}, ImageBox{1, 0, {5, 1}}, ImageBox{-1, 0, {1, 1}},
                              ImageBox{0, 6, {1, 1}}, ImageBox{0, 0, {0, 1}}, ImageBox{kMost, 0, {kMost, 1}}}) {
    EXPECT_THAT(ThrownBy([&] { CropImage(image, box); }).message, HasSubstr("is not within an image of 6x5"));
  }
}

TEST(FlipImage, ExchangesLeftAndRight) { EXPECT_THAT(ValuesOf(FlipImage(Row({1, 2, 3}))), ElementsAre(3, 2, 1)); }

TEST(RandomBox, RepeatsForTheSameSeed) {
  std::mt19937_64 first(7);
  std::mt19937_64 second(7);
  std::mt19937_64 other(8);
  const ImageBox box = RandomBox({480, 640}, first);
  EXPECT_EQ(RandomBox({480, 640}, second), box);
  EXPECT_FALSE(RandomBox({480, 640}, other) == box);
  // The same in each build: a run is resumed by another one.
  EXPECT_EQ(box, (ImageBox{6, 76, {429, 555}}));
}

TEST(RandomBox, IsWithinTheImageAndOfTheShapesAndAreasThatItPromises) {
  std::mt19937_64 random(1);
  double smallest = 1;
  double largest = 0;
  for (int i = 0; i < 5000; ++i) {
    const ImageBox box = RandomBox({300, 400}, random, 0.25);
    ASSERT_TRUE(box.top >= 0 && box.left >= 0 && box.top + box.size.height <= 300 && box.left + box.size.width <= 400);
    const double area = static_cast<double>(box.size.height * box.size.width) / (300 * 400);
    const double shape = static_cast<double>(box.size.width) / static_cast<double>(box.size.height);
    ASSERT_TRUE(area > 0.24 && area <= 1 && shape > 0.74 && shape < 1.35) << area << " " << shape;
    smallest = std::min(smallest, area);
    largest = std::max(largest, area);
  }
  EXPECT_LT(smallest, 0.27);
  EXPECT_GT(largest, 0.95);
}

TEST(RandomBox, FitsIntoImagesOfAnyShape) {
  std::mt19937_64 random(1);
  EXPECT_EQ(RandomBox({1, 1}, random), (ImageBox{0, 0, {1, 1}}));
  for (const ImageSize size : {ImageSize{1, 5000}, ImageSize{5000, 1}, ImageSize{2, 3}}) {
    for (int i = 0; i < 100; ++i) {
      const ImageBox box = RandomBox(size, random);
      EXPECT_GE(box.size.height, 1);
      EXPECT_GE(box.size.width, 1);
      EXPECT_LE(box.top + box.size.height, size.height);
      EXPECT_LE(box.left + box.size.width, size.width);
    }
  }
  EXPECT_EQ(RandomBox({30, 3000}, random, 1), (ImageBox{0, 1480, {30, 40}}));
}

TEST(RandomBox, RefusesAnAreaOutOfItsRange) {
  std::mt19937_64 random(1);
  for (const double area : {0.0, 1.1, std::nan("")}) {
    EXPECT_EQ(ThrownBy([&] { RandomBox({5, 5}, random, area); }).message, "RandomBox(): min_area is not in (0, 1]");
  }
}

}  // namespace
}  // namespace gcsflux
