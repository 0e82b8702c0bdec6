// Datasets of objects and of shards as one, mixed, selected from, and kept on a disk.
#include <gmock/gmock.h>
#include <torch/data.h>
#include <torch/types.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gcsflux/torch/data_loader.h"
#include "gcsflux/torch/iterable_dataset.h"
#include "shards/tar_archives.h"
#include "support/test_directory.h"
#include "torch/bucket_test.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;
using torch::data::Example;

constexpr int kObjects = 30;
constexpr int kOfShards = 20;
constexpr int kAll = kObjects + kOfShards;
constexpr std::uint64_t kJoinedBatch = 7;

// The target says which transform has made a sample.
Example<> OfObject(const ListedObject&, std::span<const std::byte> bytes) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return {torch::tensor(std::stoi(text)), torch::tensor(0)};
}
Example<> OfShard(const ShardSample& sample) {
  const auto bytes = ValueOrThrow(sample.Member("txt"));
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return {torch::tensor(std::stoi(text)), torch::tensor(1)};
}

// Numbers from 0 on in objects, and further ones in two indexed shards.
class JoinedTest : public BucketTest {
 protected:
  JoinedTest() {
    for (int i = 0; i < kObjects; ++i) Put("o/" + std::to_string(1000 + i), std::to_string(i));
    for (int shard = 0; shard < 2; ++shard) {
      std::vector<testing::TarFile> files;
      for (int i = 0; i < kOfShards / 2; ++i) {
        const int number = kObjects + shard * kOfShards / 2 + i;
        files.push_back({std::to_string(1000 + number) + ".txt", std::to_string(number)});
      }
      Put("s/" + std::to_string(shard) + ".tar", testing::TarOf(files));
    }
    ValueOrThrow(IndexShards(client_, Object("s/")));
  }

  [[nodiscard]] MapDataset Objects(const DatasetOptions& options = kDirect) const {
    return MapDataset(client_, Object("o/"), OfObject, options);
  }
  [[nodiscard]] MapDataset Shards() const { return MapDataset::OfShards(client_, Object("s/"), OfShard, kDirect); }
  [[nodiscard]] MapDataset Joined(const DatasetOptions& options = kDirect) const {
    return MapDataset::Joined({Objects(options), Shards()});
  }
  [[nodiscard]] static EpochOptions Mixed(const MapDataset& joined, std::vector<double> weights) {
    return {.given = ValueOrThrow(MixedOrder({.sizes = joined.parts(), .weights = std::move(weights), .seed = 3})),
            .batch_size = kJoinedBatch};
  }
  static void Add(std::vector<int>& numbers, const Example<>& batch) {
    for (std::int64_t i = 0; i < batch.data.size(0); ++i) {
      numbers.push_back(batch.data[i].item<int>());
      EXPECT_EQ(batch.target[i].item<int>(), numbers.back() < kObjects ? 0 : 1);
    }
  }
  static std::vector<int> Sorted(std::vector<int> numbers) {
    std::ranges::sort(numbers);
    return numbers;
  }
  static std::vector<int> All() {
    std::vector<int> all(kAll);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  static const DatasetOptions kDirect;
};
const DatasetOptions JoinedTest::kDirect = {.download = {.max_concurrency = 4}, .listing = {.max_concurrency = 2}};

TEST_F(JoinedTest, GiveObjectsAndShardsToALoaderEachByItsTransform) {
  const MapDataset joined = Joined();
  EXPECT_EQ(joined.parts(), (std::vector<std::size_t>{kObjects, kOfShards}));
  EXPECT_EQ(joined.size(), std::size_t{kAll});
  for (const std::size_t workers : {0U, 1U, 4U}) {
    auto loader = MakeDataLoader(joined, {.seed = 3, .batch_size = kJoinedBatch}, {.workers = workers});
    for (int epoch = 0; epoch < 2; ++epoch) {
      std::vector<int> numbers;
      for (const Example<>& batch : loader) Add(numbers, batch);
      EXPECT_EQ(Sorted(numbers), All());
    }
  }
}

TEST_F(JoinedTest, AreMixedInExactProportionsAndResumedInTheMix) {
  const MapDataset joined = Joined();
  const EpochOptions epochs = Mixed(joined, {1, 4});  // 10 objects, and 40 samples of shards.
  std::vector<int> whole;
  auto loader = MakeDataLoader(joined, epochs);
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (const Example<>& batch : loader) Add(whole, batch);
  }
  ASSERT_EQ(whole.size(), 3U * kAll);
  std::map<int, int> uses;
  for (const int number : whole) ++uses[number];
  for (int number = 0; number < kAll; ++number) EXPECT_EQ(uses[number], number < kObjects ? 1 : 6) << number;

  std::mt19937 random(5);
  std::vector<int> resumed;
  std::optional<Cursor> cursor;
  while (!cursor || cursor->epoch < 3) {
    auto part = MakeDataLoader(Joined(), epochs, {.cursor = cursor});
    std::size_t batches = 1 + random() % 5;
    for (const Example<>& batch : part) {
      Add(resumed, batch);
      if (--batches == 0) break;
    }
    cursor = ParseCursor(FormatCursor(part.cursor())).value();
  }
  EXPECT_EQ(resumed, whole);
}

TEST_F(JoinedTest, AreReadByAnIterableDatasetInTheSameOrder) {
  const MapDataset joined = Joined();
  const EpochOptions epochs = Mixed(joined, {1, 1});
  std::vector<int> by_loader;
  auto loader = MakeDataLoader(joined, epochs);
  for (const Example<>& batch : loader) Add(by_loader, batch);
  const auto iterable = IterableDataset::OfDataset(Joined(), epochs);
  std::vector<int> by_loop;
  for (const auto& batch : iterable.Epoch()) {
    Add(by_loop, torch::data::transforms::Stack<>().apply_batch(batch.samples));
  }
  EXPECT_EQ(by_loop, by_loader);
  EXPECT_EQ(iterable.cursor().epoch, 1U);
}

TEST_F(JoinedTest, SelectsSharesThatHaveEachSampleOnce) {
  const MapDataset joined = Joined();
  std::vector<int> numbers;
  for (const MapDataset& share : {joined.Select(Selection{.to = 0.7}), joined.Select(Selection{.from = 0.7})}) {
    EXPECT_GT(*share.size(), 0U);
    auto loader = MakeDataLoader(share, {.batch_size = kJoinedBatch});
    for (const Example<>& batch : loader) Add(numbers, batch);
  }
  EXPECT_EQ(Sorted(numbers), All());
}

TEST_F(JoinedTest, SelectsByPredicateAndByIndices) {
  const MapDataset objects = Objects();
  const auto long_ones = objects.Select({.predicate = [](const ListedObject& object) { return object.size == 2; }});
  EXPECT_EQ(*long_ones.size(), 20U);
  const std::vector<std::size_t> indices = {19, 0};
  const MapDataset two = long_ones.Select(indices);
  const std::vector<std::size_t> both = {0, 1};
  MapDataset copy = two;
  const auto samples = copy.get_batch(both);
  EXPECT_EQ(samples[0].data.item<int>(), 29);
  EXPECT_EQ(samples[1].data.item<int>(), 10);
  EXPECT_THAT(ThrownBy([&] { static_cast<void>(two.Select(std::vector<std::size_t>{2})); }).message,
              HasSubstr("index 2 of a dataset of 2 samples"));
}

TEST_F(JoinedTest, AreRefusedTwiceOrOfDifferentClients) {
  EXPECT_THAT(ThrownBy([&] {
                static_cast<void>(MapDataset::Joined({Objects(), Objects()}));
              }).message,
              HasSubstr("is the same as dataset 0"));
  EXPECT_THAT(ThrownBy([&] { static_cast<void>(MapDataset::Joined({})); }).message, HasSubstr("none is given"));
  const Client other = MakeClient(emulator_.endpoint());
  const MapDataset of_other(other, Object("s/"), OfObject, kDirect);
  EXPECT_THAT(ThrownBy([&] {
                static_cast<void>(MapDataset::Joined({Objects(), of_other}));
              }).message,
              HasSubstr("different clients"));
}

TEST_F(JoinedTest, AreKeptOnADisk) {
  const testing::TestDirectory directory;
  DatasetOptions options = kDirect;
  options.cache = {.directory = directory.path() / "cache"};
  options.fetch_across_epochs = false;
  const MapDataset joined = Joined(options);
  auto loader = MakeDataLoader(joined, {.batch_size = kJoinedBatch});
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::vector<int> numbers;
    for (const Example<>& batch : loader) Add(numbers, batch);
    EXPECT_EQ(Sorted(numbers), All());
  }
  EXPECT_EQ(joined.report().cache.hits, std::uint64_t{kAll});
  EXPECT_EQ(joined.report().cache.misses, std::uint64_t{kAll});
}

}  // namespace
}  // namespace gcsflux
