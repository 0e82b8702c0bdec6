#include "gcsflux/torch/map_dataset.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <algorithm>
#include <string>

#include "support/fails_with.h"
#include "torch/bucket_test.h"
#include "torch/loopback_proxy.h"

namespace gcsflux {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using torch::data::Example;

/// An example whose data are the object's bytes.
Example<> BytesOf(const ListedObject&, std::span<const std::byte> bytes) {
  const torch::Tensor data = torch::empty({static_cast<std::int64_t>(bytes.size())}, torch::kUInt8);
  std::ranges::copy(std::as_bytes(bytes), static_cast<std::byte*>(data.data_ptr()));
  return {data, torch::tensor(0)};
}

std::string TextOf(const Example<>& example) {
  return {static_cast<const char*>(example.data.data_ptr()), static_cast<std::size_t>(example.data.numel())};
}

std::vector<std::string> NamesOf(const MapDataset& dataset) {
  std::vector<std::string> names;
  for (const ListedObject& object : dataset.objects()) names.push_back(object.name);
  return names;
}

class MapDatasetTest : public BucketTest {
 protected:
  [[nodiscard]] MapDataset DatasetOf(std::string_view prefix, MapDataset::Transform transform = BytesOf) const {
    return {client_, Object(prefix), std::move(transform)};
  }

  static std::vector<std::string> BatchOf(MapDataset dataset, std::vector<std::size_t> indices) {
    std::vector<std::string> texts;
    for (const Example<>& example : dataset.get_batch(indices)) texts.push_back(TextOf(example));
    return texts;
  }
};

TEST_F(MapDatasetTest, ContainsThePrefixInBytewiseOrder) {
  for (const char* name : {"train/b", "train/B", "train/a/1", "trainer", "test/c", "train/\xC3\xA9"}) Put(name, name);
  const MapDataset dataset = DatasetOf("train/");
  EXPECT_THAT(NamesOf(dataset), ElementsAre("train/B", "train/a/1", "train/b", "train/\xC3\xA9"));
  EXPECT_EQ(dataset.size(), 4U);
}

TEST_F(MapDatasetTest, OmitsDirectoryMarkers) {
  Put("train/", "");
  Put("train/0/", "");
  Put("train/0/a", "a");
  EXPECT_THAT(NamesOf(DatasetOf("train/")), ElementsAre("train/0/a"));
}

TEST_F(MapDatasetTest, ReportsAnEmptyPrefix) {
  Put("train/", "");
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { MapDataset(client_, Object("train/"), BytesOf); }),
                                 ErrorCode::kEmptyPrefix, HasSubstr("gs://torch-test/train/")));
}

TEST_F(MapDatasetTest, ReportsAMissingBucket) {
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] {
                                   MapDataset(client_, {"no-such-bucket", "train/"}, BytesOf);
                                 }),
                                 ErrorCode::kNotFound, HasSubstr("no-such-bucket")));
}

TEST_F(MapDatasetTest, HasSizeZeroForAnEmptyList) {
  MapDataset dataset = MapDataset::OfObjects(client_, "no-matter", {}, BytesOf);
  EXPECT_EQ(dataset.size(), 0U);
  EXPECT_TRUE(dataset.get_batch({}).empty());
}

TEST_F(MapDatasetTest, GivesABatchInTheOrderOfItsIndices) {
  for (const char* name : {"a", "b", "c"}) Put(name, std::string("content of ") + name);
  Put("d", "");
  EXPECT_THAT(BatchOf(DatasetOf(""), {3, 1, 0, 1}), ElementsAre("", "content of b", "content of a", "content of b"));
}

TEST_F(MapDatasetTest, PassesTheObjectToTheTransform) {
  Put("train/7/a.png", "x");
  const auto size_of_name = [](const ListedObject& object, std::span<const std::byte>) -> Example<> {
    return {torch::tensor(static_cast<std::int64_t>(object.name.size())), torch::tensor(object.generation)};
  };
  MapDataset dataset = DatasetOf("train/", size_of_name);
  const Example<> example = dataset.get_batch(std::vector<std::size_t>{0}).at(0);
  EXPECT_EQ(example.data.item<std::int64_t>(), 13);
  EXPECT_EQ(example.target.item<std::int64_t>(), dataset.objects()[0].generation);
}

TEST_F(MapDatasetTest, RefusesAnIndexPastTheEnd) {
  Put("a", "a");
  EXPECT_EQ(ThrownBy([&] { BatchOf(DatasetOf(""), {0, 1}); }).code, ErrorCode::kInvalidArgument);
}

TEST_F(MapDatasetTest, NamesAnObjectDeletedSinceTheListing) {
  for (const char* name : {"a", "b", "c"}) Put(name, name);
  const MapDataset dataset = DatasetOf("");
  ValueOrThrow(client_.DeleteObject(Object("b")));
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] {
                                   BatchOf(dataset, {0, 1, 2});
                                 }),
                                 ErrorCode::kNotFound, HasSubstr("gs://torch-test/b")));
}

TEST_F(MapDatasetTest, NeverGivesAPartialBatch) {
  for (const char* name : {"a", "b"}) Put(name, name);
  const MapDataset dataset(client_, Object(""), BytesOf, {.download = {.delivers_failures = true}});
  ValueOrThrow(client_.DeleteObject(Object("b")));
  EXPECT_EQ(ThrownBy([&] { BatchOf(dataset, {0, 1}); }).code, ErrorCode::kNotFound);
}

TEST_F(MapDatasetTest, NamesAnObjectOverwrittenSinceTheListing) {
  for (const char* name : {"a", "b", "c"}) Put(name, name);
  const MapDataset dataset = DatasetOf("");
  Put("b", "something else");
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] {
                                   BatchOf(dataset, {0, 1, 2});
                                 }),
                                 ErrorCode::kNotFound, HasSubstr("gs://torch-test/b")));
}

TEST_F(MapDatasetTest, RemainsUsableAfterAFailedBatch) {
  for (const char* name : {"a", "b", "c"}) Put(name, name);
  const MapDataset dataset = DatasetOf("");
  ValueOrThrow(client_.DeleteObject(Object("b")));
  ThrownBy([&] { BatchOf(dataset, {0, 1, 2}); });
  EXPECT_THAT(BatchOf(dataset, {2, 0}), ElementsAre("c", "a"));
}

TEST_F(MapDatasetTest, NestsATransformsExceptionWithTheObjectsName) {
  Put("train/bad", "x");
  const auto failing = [](const ListedObject&, std::span<const std::byte>) -> Example<> {
    throw std::out_of_range("seven is too many");
  };
  try {
    BatchOf(DatasetOf("", failing), {0});
    FAIL() << "nothing was thrown";
  } catch (const StorageError& thrown) {
    EXPECT_EQ(thrown.error().code, ErrorCode::kUndecodable);
    EXPECT_THAT(thrown.what(), HasSubstr("gs://torch-test/train/bad: seven is too many"));
    EXPECT_THAT(thrown.what(), HasSubstr("--max_skipped"));
    EXPECT_THROW(std::rethrow_if_nested(thrown), std::out_of_range);
  }
}

TEST_F(MapDatasetTest, NestsANonStandardExceptionWithTheObjectsName) {
  Put("a", "x");
  const auto failing = [](const ListedObject&, std::span<const std::byte>) -> Example<> { throw 42; };
  try {
    BatchOf(DatasetOf("", failing), {0});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const StorageError& thrown) {
    EXPECT_EQ(thrown.error().code, ErrorCode::kUndecodable);
    EXPECT_THAT(thrown.error().message, HasSubstr("gs://torch-test/a"));
    try {
      std::rethrow_if_nested(thrown);
      ADD_FAILURE() << "nothing is nested";
    } catch (int nested) {
      EXPECT_EQ(nested, 42);
    }
  }
}

TEST_F(MapDatasetTest, RethrowsATransformsStorageErrorUnchanged) {
  Put("a", "x");
  const auto failing = [](const ListedObject&, std::span<const std::byte>) -> Example<> {
    throw StorageError({.code = ErrorCode::kAborted, .message = "as it is"});
  };
  const Error error = ThrownBy([&] { BatchOf(DatasetOf("", failing), {0}); });
  EXPECT_EQ(error.code, ErrorCode::kAborted);
  EXPECT_EQ(error.message, "as it is");
}

TEST_F(MapDatasetTest, SharesTheListingAmongCopies) {
  Put("a", "a");
  const MapDataset dataset = DatasetOf("");
  const MapDataset copy = dataset;  // NOLINT(performance-unnecessary-copy-initialization): the copy is the subject.
  EXPECT_EQ(copy.objects().data(), dataset.objects().data());
}

TEST_F(MapDatasetTest, FetchesTheObjectsOfABatchInParallel) {
  for (const char* name : {"a", "b", "c", "d"}) Put(name, name);
  const LoopbackProxy proxy(emulator_.endpoint(), {.hold_until_connections = 4});
  const auto dataset = MapDataset::OfObjects(MakeClient(proxy.endpoint()), Object("").bucket, DatasetOf("").objects(),
                                             BytesOf, {.download = {.max_concurrency = 4}});
  EXPECT_THAT(BatchOf(dataset, {0, 1, 2, 3}), ElementsAre("a", "b", "c", "d"));
  EXPECT_TRUE(proxy.met_at_once());
}

TEST_F(MapDatasetTest, DetectsBytesChangedInTransfer) {
  Put("a", "harmless");
  Put("b", "XXXXXXXX");
  const auto flip = [](std::span<char> answer) {
    const auto found = std::ranges::search(answer, std::string_view("XXXXXXXX"));
    if (!found.empty()) found.front() = 'Y';
  };
  const LoopbackProxy proxy(emulator_.endpoint(), {.edit_answer = flip});
  const auto dataset =
      MapDataset::OfObjects(MakeClient(proxy.endpoint()), Object("").bucket, DatasetOf("").objects(), BytesOf);
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] {
                                   BatchOf(dataset, {0, 1});
                                 }),
                                 ErrorCode::kCorrupted, HasSubstr("gs://torch-test/b")));
}

struct OwnSample {
  std::uint64_t bytes = 0;
};
std::uint64_t SampleBytes(const OwnSample& sample) { return sample.bytes; }

TEST(BytesOfSample, CountsTensorsAndTheirContainers) {
  const torch::Tensor tensor = torch::zeros({10, 100}, torch::kFloat32);
  constexpr std::uint64_t kData = 10 * 100 * 4;
  constexpr std::uint64_t kTensor = kData + sizeof(torch::Tensor);
  EXPECT_EQ(internal::BytesOfSample(tensor), kTensor);
  EXPECT_EQ(internal::BytesOfSample(tensor[3]), kTensor) << "a view keeps the whole";
  EXPECT_EQ(internal::BytesOfSample(torch::Tensor()), sizeof(torch::Tensor));
  EXPECT_EQ(internal::BytesOfSample(Example<>(tensor, tensor)), 2 * kTensor);
  EXPECT_EQ(internal::BytesOfSample(torch::data::TensorExample(tensor)), kTensor);
  EXPECT_EQ(internal::BytesOfSample(std::pair(tensor, 7)), kTensor + sizeof(int));
  EXPECT_EQ(internal::BytesOfSample(std::vector{tensor, tensor}), 2 * kTensor + sizeof(std::vector<torch::Tensor>));
  EXPECT_EQ(internal::BytesOfSample(std::vector<float>(100)), 400 + sizeof(std::vector<float>));
  EXPECT_EQ(internal::BytesOfSample(std::string(100, 'x')), 100 + sizeof(std::string));
  EXPECT_EQ(internal::BytesOfSample(OwnSample{77}), 77U);
  EXPECT_EQ(internal::BytesOfSample(std::vector{OwnSample{7}, OwnSample{8}}), 15 + sizeof(std::vector<OwnSample>));
}

}  // namespace
}  // namespace gcsflux
