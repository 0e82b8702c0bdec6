// The pieces of examples/train_fashion_mnist.cc.
#include <gmock/gmock.h>
#include <torch/types.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <functional>
#include <string>

#include "fashion_mnist/idx_file.h"
#include "fashion_mnist/stored_images.h"
#include "gcsflux/torch/map_dataset.h"
#include "torch/bucket_test.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t kSide = 28;

/// `count` images of 28x28 in which every pixel is different from its neighbours, with labels 3, 4, 5 ...
LabelledImages MakeImages(std::size_t count) {
  LabelledImages images{.rows = kSide, .columns = kSide};
  for (std::size_t i = 0; i < count; ++i) images.labels.push_back(static_cast<std::uint8_t>((i + 3) % 10));
  for (std::size_t i = 0; i < count * kSide * kSide; ++i) images.pixels.push_back(static_cast<std::uint8_t>(i * 37));
  return images;
}

std::string ReasonOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

// ------------------------------------------------------------------------------------------------------ IDX files

class IdxFiles : public ::testing::Test {
 protected:
  IdxFiles() { std::filesystem::create_directories(folder_); }
  ~IdxFiles() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& content) const {
    gzFile file = gzopen((folder_ / name).c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
  }

  static std::string Number(std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
    return bytes;
  }

  void WriteLabels(const std::string& labels) const {
    Write("train-labels-idx1-ubyte.gz", Number(0x0801) + Number(static_cast<std::uint32_t>(labels.size())) + labels);
  }
  void WriteImages(std::uint32_t count, const std::string& pixels) const {
    Write("train-images-idx3-ubyte.gz", Number(0x0803) + Number(count) + Number(2) + Number(3) + pixels);
  }

  [[nodiscard]] std::string ReasonNotToRead(std::size_t count) const {
    return ReasonOf([&] { ReadIdxFiles(folder_, "train", count); });
  }

  std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) / ("idx." + std::to_string(::getpid()));
};

TEST_F(IdxFiles, ContainTheFirstImagesAndLabels) {
  WriteLabels("\x07\x08\x09");
  WriteImages(3, "abcdefghijklmnopqr");
  const LabelledImages images = ReadIdxFiles(folder_, "train", 2);
  EXPECT_EQ(images.rows, 2U);
  EXPECT_EQ(images.columns, 3U);
  EXPECT_THAT(images.labels, ElementsAre(7, 8));
  EXPECT_THAT(images.image(1), ElementsAre('g', 'h', 'i', 'j', 'k', 'l'));
}

TEST_F(IdxFiles, NameTheirPackageIfMissing) {
  EXPECT_THAT(ReasonNotToRead(1), AllOf(HasSubstr("train-labels-idx1-ubyte.gz"),
                                        HasSubstr("apt-get install dataset-fashion-mnist"), HasSubstr("--data_dir")));
}

TEST_F(IdxFiles, AreNamedIfDamaged) {
  WriteLabels("\x07\x08\x09");
  WriteImages(3, "too short");
  EXPECT_THAT(ReasonNotToRead(2), HasSubstr("train-images-idx3-ubyte.gz ends early"));
  EXPECT_THAT(ReasonNotToRead(4), HasSubstr("has 3 entries, 4 were asked for"));
  Write("train-labels-idx1-ubyte.gz", "no IDX file at all");
  EXPECT_THAT(ReasonNotToRead(2), HasSubstr("train-labels-idx1-ubyte.gz is no IDX file"));
}

// --------------------------------------------------------------------------------------------------- stored images

class StoredImages : public BucketTest {};

TEST_F(StoredImages, AreNamedByLabelAndIndex) {
  EXPECT_EQ(StoreImages(client_, Object("job/train/"), MakeImages(3)), 3U);
  EXPECT_THAT(StoredNames(), ElementsAre("job/train/3/00000.png", "job/train/4/00001.png", "job/train/5/00002.png"));
  EXPECT_EQ(ValueOrThrow(client_.GetObject(Object("job/train/3/00000.png"))).content_type, "image/png");
}

TEST_F(StoredImages, AreNotReplaced) {
  StoreImages(client_, Object("train/"), MakeImages(30));
  ValueOrThrow(client_.DeleteObject(Object("train/5/00012.png")));
  const auto kept = ValueOrThrow(client_.GetObject(Object("train/3/00000.png"))).generation;
  EXPECT_EQ(StoreImages(client_, Object("train/"), MakeImages(30)), 1U);
  EXPECT_EQ(StoredNames().size(), 30U);
  EXPECT_EQ(ValueOrThrow(client_.GetObject(Object("train/3/00000.png"))).generation, kept);
}

TEST_F(StoredImages, FailForAMissingBucket) {
  const Error error = ThrownBy([&] { StoreImages(client_, {"no-such-bucket", "train/"}, MakeImages(30)); });
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
}

TEST_F(StoredImages, DecodeToPixelsAndLabel) {
  const LabelledImages images = MakeImages(2);
  StoreImages(client_, Object("train/"), images);
  MapDataset dataset(client_, Object("train/"), DecodeImage);
  const auto example = dataset.get_batch(std::vector<std::size_t>{1}).at(0);
  EXPECT_EQ(example.target.item<std::int64_t>(), 4);
  EXPECT_EQ(example.data.sizes(), (std::vector<std::int64_t>{1, 28, 28}));
  const auto* pixels = example.data.data_ptr<std::uint8_t>();
  EXPECT_TRUE(std::ranges::equal(std::span(pixels, kSide * kSide), images.image(1)));
}

TEST_F(StoredImages, AreNamedIfForeign) {
  const auto reason = [&](const std::string& folder) {
    MapDataset dataset(client_, Object(folder), DecodeImage);
    const Error error = ThrownBy([&] { dataset.get_batch(std::vector<std::size_t>{0}); });
    EXPECT_EQ(error.code, ErrorCode::kUndecodable);
    return error.message;
  };
  Put("text/3/00000.png", "hello");
  EXPECT_THAT(reason("text/"), AllOf(HasSubstr("text/3/00000.png"), HasSubstr("neither a JPEG nor a PNG file")));
  LabelledImages small{.rows = 8, .columns = 8, .labels = {3}, .pixels = std::vector<std::uint8_t>(64)};
  StoreImages(client_, Object("small/"), small);
  EXPECT_THAT(reason("small/"), HasSubstr("28 x 28 pixels"));
  Put("shoes/sneaker/00000.png", "hello");
  EXPECT_THAT(reason("shoes/"), HasSubstr("no label from 0 to 9"));
}

}  // namespace
}  // namespace gcsflux
