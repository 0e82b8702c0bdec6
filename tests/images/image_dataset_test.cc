// DecodeImage() as the transform of datasets.
#include <gmock/gmock.h>

#include <map>
#include <numeric>
#include <random>
#include <utility>

#include "gcsflux/torch/iterable_dataset.h"
#include "gcsflux/torch/map_dataset.h"
#include "images/image_files.h"
#include "torch/bucket_test.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kImages = 12;

at::Tensor Augmented(const ListedObject& object, std::span<const std::byte> bytes, const SampleContext& context) {
  std::mt19937_64 random(context.seed);
  at::Tensor image = DecodeImage(object.name, bytes);
  image = ResizeImage(CropImage(image, RandomBox(SizeOf(image), random)), {8, 8});
  return random() % 2 == 0 ? FlipImage(image) : image;
}

using Images = BasicIterableDataset<std::pair<std::string, at::Tensor>>;

class ImageDataset : public BucketTest {
 protected:
  void PutImages() {
    const auto file = EncodePng(SlopingImage(3, 30, 40));
    for (int i = 0; i < kImages; ++i) {
      ValueOrThrow(client_.InsertObject(Object("images/" + std::to_string(i) + ".png"), file));
    }
  }

  [[nodiscard]] Images Open(std::uint64_t batch_size) const {
    return Images(client_, Object("images/"),
                  [](const ListedObject& object, std::span<const std::byte> bytes, const SampleContext& context) {
                    return std::pair(object.name, Augmented(object, bytes, context));
                  },
                  {.seed = 5, .batch_size = batch_size});
  }
};

TEST_F(ImageDataset, RepeatsItsAugmentationAfterAResumption) {
  PutImages();
  std::map<std::string, at::Tensor> undisturbed;
  for (const auto& batch : Open(1).Epoch()) undisturbed.insert(batch.samples.begin(), batch.samples.end());
  ASSERT_EQ(undisturbed.size(), std::size_t{kImages});

  Cursor stopped;
  for (const auto& batch : Open(4).Epoch()) {
    stopped = batch.cursor;
    break;
  }
  int resumed = 0;
  for (const auto& batch : Open(3).Epoch(stopped)) {
    for (const auto& [name, image] : batch.samples) {
      EXPECT_TRUE(at::equal(image, undisturbed.at(name))) << name;
      ++resumed;
    }
  }
  EXPECT_EQ(resumed, kImages - 4);
  // Each sample has its own box: from the same file, twelve equal images would be no augmentation.
  EXPECT_FALSE(at::equal(undisturbed.at("images/0.png"), undisturbed.at("images/1.png")));
}

TEST_F(ImageDataset, NamesTheObjectThatCannotBeDecodedOrLeavesItOut) {
  PutImages();
  Put("images/5.png", "no image");
  const auto read = [&](std::uint64_t max_skipped) {
    BasicMapDataset<at::Tensor> images(client_, Object("images/"), &Augmented, {.max_skipped = max_skipped});
    std::vector<std::size_t> all(images.objects().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const std::size_t count = images.get_batch(all).size();
    return std::pair(count, images.report());
  };
  const Error error = ThrownBy([&] { read(0); });
  EXPECT_EQ(error.code, ErrorCode::kUndecodable);
  EXPECT_THAT(error.message, AllOf(HasSubstr("images/5.png"), HasSubstr("neither a JPEG nor a PNG file")));

  const auto [count, report] = read(1);
  EXPECT_EQ(count, std::size_t{kImages - 1});
  EXPECT_EQ(report.skipped, 1U);
}

}  // namespace
}  // namespace gcsflux
