#include <gmock/gmock.h>
#include <torch/data.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gcsflux/torch/data_loader.h"
#include "gcsflux/torch/iterable_dataset.h"
#include "torch/numbered_objects.h"

namespace gcsflux {
namespace {

using ::testing::SizeIs;
using torch::data::Example;

// The seeds of samples, by epoch and index.
using Seeds = std::map<std::pair<std::uint64_t, std::size_t>, std::uint64_t>;

constexpr EpochOptions kOrder{.seed = 3, .batch_size = kBatch};

EpochOptions OrderOf(std::uint64_t rank, std::uint64_t world_size) {
  return {.seed = 3, .batch_size = kBatch, .rank = rank, .world_size = world_size};
}

// A sample that tells its context: the transform's contexts of samples that are only fetched ahead do not count.
struct Told {
  SampleContext context = {};
  std::string name = {};
};
Told Tell(const ListedObject& object, std::span<const std::byte>, const SampleContext& context) {
  return {context, object.name};
}
using ToldByMap = BasicMapDataset<Told>;
using ToldByIterable = BasicIterableDataset<Told>;

// As torch::data::transforms::Stack, for samples that are no tensors.
struct AsTheyAre : torch::data::transforms::BatchTransform<std::vector<Told>, std::vector<Told>> {
  std::vector<Told> apply_batch(std::vector<Told> batch) override { return batch; }
};

class SampleContextTest : public NumberedObjectsTest {
 protected:
  SampleContextTest() : map_(client_, Object("numbers/"), Tell, kDirect) {}

  void Add(const std::vector<Told>& batch, Seeds& seeds) const {
    for (const Told& told : batch) {
      EXPECT_EQ(told.name, map_.objects()[told.context.index].name);
      const bool is_new = seeds.try_emplace({told.context.epoch, told.context.index}, told.context.seed).second;
      EXPECT_TRUE(is_new) << told.context.index << " came twice";
    }
  }

  // Adds this many batches of one loop.
  void Use(auto& loader, Seeds& seeds, std::size_t batches = ~std::size_t{0}) const {
    for (const std::vector<Told>& batch : loader) {
      Add(batch, seeds);
      if (--batches == 0) return;
    }
  }

  [[nodiscard]] Seeds ByLoader(const EpochOptions& order, std::size_t workers, int epochs) const {
    auto loader = MakeDataLoader(map_, order, {.workers = workers}, AsTheyAre());
    Seeds seeds;
    for (int epoch = 0; epoch < epochs; ++epoch) Use(loader, seeds);
    return seeds;
  }

  [[nodiscard]] Seeds ByLoop(const EpochOptions& order, int epochs) const {
    const ToldByIterable dataset(client_, Object("numbers/"), Tell, order, kDirect);
    Seeds seeds;
    for (int epoch = 0; epoch < epochs; ++epoch) {
      for (const Batch<Told>& batch : dataset.Epoch()) Add(batch.samples, seeds);
    }
    return seeds;
  }

  ToldByMap map_;
};

TEST_F(SampleContextTest, IsTheSameForAnyNumberOfWorkers) {
  const Seeds expected = ByLoader(kOrder, 0, 2);
  EXPECT_THAT(expected, SizeIs(2 * kObjects));
  for (const std::size_t workers : {1, 4}) EXPECT_EQ(ByLoader(kOrder, workers, 2), expected) << workers << " workers";
}

TEST_F(SampleContextTest, IsTheSameForLoadersAndLoops) { EXPECT_EQ(ByLoop(kOrder, 2), ByLoader(kOrder, 2, 2)); }

TEST_F(SampleContextTest, IsTheSameForAnyOrderOfTheSameSeed) {
  const Seeds expected = ByLoop(kOrder, 1);
  EXPECT_EQ(ByLoop({.order = SampleOrder::kByName, .seed = 3, .batch_size = kBatch}, 1), expected);
  EXPECT_EQ(ByLoop({.order = SampleOrder::kBuffered, .shuffle_buffer = 10, .seed = 3, .batch_size = kBatch}, 1),
            expected);
}

TEST_F(SampleContextTest, IsTheSameForAnyBatchSize) {
  EXPECT_EQ(ByLoader({.seed = 3, .batch_size = 1}, 2, 1), ByLoader(kOrder, 2, 1));
  EXPECT_EQ(ByLoader({.seed = 3, .batch_size = kObjects}, 2, 1), ByLoader(kOrder, 2, 1));
}

TEST_F(SampleContextTest, IsTheSameForAllRanksTogether) {
  const Seeds expected = ByLoader(kOrder, 0, 2);
  Seeds of_loaders;
  Seeds of_loops;
  for (const std::uint64_t rank : {0, 1, 2}) {
    of_loaders.merge(ByLoader(OrderOf(rank, 3), 2, 2));
    of_loops.merge(ByLoop(OrderOf(rank, 3), 2));
  }
  EXPECT_EQ(of_loaders, expected);
  EXPECT_EQ(of_loops, expected);
}

TEST_F(SampleContextTest, IsTheSameAfterALoaderResumed) {
  const Seeds expected = ByLoader(kOrder, 0, 2);
  Seeds seeds;
  auto earlier = MakeDataLoader(map_, kOrder, {.workers = 2}, AsTheyAre());
  Use(earlier, seeds, 3);
  const ToldByMap later(client_, Object("numbers/"), Tell, kDirect);
  auto resumed =
      MakeDataLoader(later, {.seed = 3, .batch_size = kBatch + 2},
                     {.workers = 4, .cursor = ParseCursor(FormatCursor(earlier.cursor())).value()}, AsTheyAre());
  for (int epoch = 0; epoch < 2; ++epoch) Use(resumed, seeds);
  EXPECT_EQ(seeds, expected);
}

TEST_F(SampleContextTest, IsTheSameAfterALoopResumed) {
  const Seeds expected = ByLoop(kOrder, 2);
  Seeds seeds;
  const ToldByIterable earlier(client_, Object("numbers/"), Tell, kOrder, kDirect);
  Cursor cursor;
  for (const Batch<Told>& batch : earlier.Epoch()) {
    Add(batch.samples, seeds);
    cursor = batch.cursor;
    if (seeds.size() > kObjects / 2) break;
  }
  const ToldByIterable resumed(client_, Object("numbers/"), Tell, kOrder, kDirect);
  for (const Batch<Told>& batch : resumed.Epoch(cursor)) Add(batch.samples, seeds);
  for (const Batch<Told>& batch : resumed.Epoch()) Add(batch.samples, seeds);
  EXPECT_EQ(seeds, expected);
}

TEST_F(SampleContextTest, DiffersByEpochAndSample) {
  const Seeds seeds = ByLoader(kOrder, 2, 3);
  std::set<std::uint64_t> different;
  for (const auto& [sample, seed] : seeds) different.insert(seed);
  EXPECT_THAT(different, SizeIs(3 * kObjects));
}

TEST_F(SampleContextTest, DiffersByTheOrdersSeed) {
  const Seeds of_three = ByLoader(kOrder, 0, 1);
  const Seeds of_four = ByLoader({.seed = 4, .batch_size = kBatch}, 0, 1);
  for (const auto& [sample, seed] : of_three) EXPECT_NE(of_four.at(sample), seed);
}

// A worker may ask for batches that the order does not have next.
TEST_F(SampleContextTest, IsOfTheAnnouncedEpochBesideTheOrder) {
  const Seeds expected = ByLoader(kOrder, 0, 2);
  auto loader = MakeDataLoader(map_, kOrder, {.workers = 0}, AsTheyAre());
  for (const std::uint64_t epoch : {0, 1}) {
    Seeds seeds;
    Use(loader, seeds, 1);
    const SampleContext context = map_.get_batch(std::size_t{5}).front().context;
    EXPECT_EQ(context, (SampleContext{epoch, 5, expected.at({epoch, 5})}));
    Use(loader, seeds);
    EXPECT_THAT(seeds, SizeIs(kObjects));
  }
}

TEST_F(SampleContextTest, IsOfTheIndexAloneWithoutAnAnnouncedOrder) {
  const Seeds expected = ByLoader({.seed = 0, .batch_size = kBatch}, 0, 1);
  const ToldByMap dataset(client_, Object("numbers/"), Tell, kDirect);
  auto loader = torch::data::make_data_loader(ToldByMap(dataset).map(AsTheyAre()),
                                              torch::data::DataLoaderOptions(kBatch).workers(2));
  for (int epoch = 0; epoch < 2; ++epoch) {
    Seeds seeds;
    Use(*loader, seeds);
    EXPECT_EQ(seeds, expected);
  }
}

// What a program may have called its transform so far.
TEST_F(SampleContextTest, IsNotRequiredOfATransform) {
  struct Functor {
    Example<> operator()(const ListedObject& object, std::span<const std::byte> bytes) {
      return NumberIn(object, bytes);
    }
  };
  const std::function<Example<>(const ListedObject&, std::span<const std::byte>)> function = NumberIn;
  const auto first_of = [&](MapDataset::Transform transform) {
    MapDataset dataset(client_, Object("numbers/"), std::move(transform), kDirect);
    return dataset.get_batch(std::size_t{9}).front().data.item<int>();
  };
  EXPECT_EQ(first_of(NumberIn), 9);
  EXPECT_EQ(first_of(&NumberIn), 9);
  EXPECT_EQ(first_of(function), 9);
  EXPECT_EQ(first_of(Functor()), 9);
  EXPECT_EQ(first_of([](const ListedObject& object, auto bytes) { return NumberIn(object, bytes); }), 9);
}

// An empty function is refused, whatever it takes.
TEST_F(SampleContextTest, IsNoReasonToAcceptAnEmptyTransform) {
  using Bytes = std::span<const std::byte>;
  const auto is_refused = [&](MapDataset::Transform transform) {
    return ThrownBy([&] { MapDataset(client_, Object("numbers/"), std::move(transform), kDirect); }).code ==
           ErrorCode::kInvalidArgument;
  };
  EXPECT_TRUE(is_refused(nullptr));
  EXPECT_TRUE(is_refused(std::function<Example<>(const ListedObject&, Bytes)>()));
  EXPECT_TRUE(is_refused(std::function<Example<>(const ListedObject&, Bytes, const SampleContext&)>()));
}

}  // namespace
}  // namespace gcsflux
