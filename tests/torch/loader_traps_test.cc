// How libtorch's DataLoader treats datasets (1.13), and how ours behave: each trap by its name.
#include <gmock/gmock.h>
#include <torch/data.h>
#include <torch/types.h>

#include <algorithm>
#include <string>

#include "gcsflux/torch/epoch_sampler.h"
#include "gcsflux/torch/iterable_dataset.h"
#include "gcsflux/torch/map_dataset.h"
#include "support/fails_with.h"
#include "torch/numbered_objects.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;
using torch::data::DataLoaderOptions;

constexpr int kNamed = 40;
constexpr std::size_t kSmallBatch = 4;

std::string NameAsSample(const ListedObject& object, std::span<const std::byte>) { return object.name; }

std::string NameUnlessBad(const ListedObject& object, std::span<const std::byte>) {
  if (object.name == "n/1020") throw std::runtime_error("bad sample");
  return object.name;
}

class LoaderTrapsTest : public BucketTest {
 protected:
  LoaderTrapsTest() {
    for (int i = 0; i < kNamed; ++i) Put("n/" + std::to_string(1000 + i), "x");
  }
  using Names = BasicMapDataset<std::string>;
  using NameStream = BasicIterableDataset<std::string>;

  [[nodiscard]] Names Map(Names::Transform transform = NameAsSample) const {
    return {client_, Object("n/"), std::move(transform), kDirect};
  }
  [[nodiscard]] std::size_t Reads() const {
    const auto journal = emulator_.journal();
    return static_cast<std::size_t>(std::count_if(
        journal.begin(), journal.end(), [](const auto& record) { return record.operation == "storage.objects.get"; }));
  }
};

// "The stateless DataLoader copies the dataset per worker."
TEST_F(LoaderTrapsTest, CopiesPerWorkerDownloadEachObjectOnce) {
  const Names dataset = Map();
  EpochSampler sampler(dataset, {.batch_size = kSmallBatch});
  const auto loader = torch::data::make_data_loader(Names(dataset), sampler, DataLoaderOptions(kSmallBatch).workers(8));
  std::vector<std::string> names;
  for (const auto& batch : *loader) {
    names.insert(names.end(), batch.begin(), batch.end());
    sampler.BatchConsumed();
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kNamed));
  EXPECT_LE(Reads(), 2U * kNamed);  // With the next epoch's beginning, which is fetched once.
}

// "Leaving an epoch early with workers makes the next begin() throw": a new loader continues the abandoned epoch.
TEST_F(LoaderTrapsTest, NewLoaderContinuesAnAbandonedEpoch) {
  const Names dataset = Map();
  EpochSampler sampler(dataset, {.batch_size = kSmallBatch});
  std::vector<std::string> names;
  for (int loaders = 0; names.size() < kNamed; ++loaders) {
    ASSERT_LT(loaders, kNamed);
    const auto loader =
        torch::data::make_data_loader(Names(dataset), sampler, DataLoaderOptions(kSmallBatch).workers(3));
    for (const auto& batch : *loader) {
      names.insert(names.end(), batch.begin(), batch.end());
      sampler.BatchConsumed();
      break;
    }
  }
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

// "A worker's exception arrives as WorkerException with `original_exception`."
TEST_F(LoaderTrapsTest, WorkersExceptionNamesTheObject) {
  const auto expect_named = [](auto& loader) {
    try {
      for (const auto& batch : *loader) EXPECT_FALSE(batch.empty());
      ADD_FAILURE() << "nothing was thrown";
    } catch (const torch::data::WorkerException& worker) {
      EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { std::rethrow_exception(worker.original_exception); }),
                                     ErrorCode::kUndecodable, HasSubstr("n/1020")));
    }
  };
  const Names dataset = Map(NameUnlessBad);
  auto map_loader = torch::data::make_data_loader(Names(dataset), EpochSampler(dataset, {.batch_size = kSmallBatch}),
                                                  DataLoaderOptions(kSmallBatch).workers(2));
  expect_named(map_loader);
  auto stream_loader = torch::data::make_data_loader(
      NameStream(client_, Object("n/"), NameUnlessBad, {.batch_size = kSmallBatch}, kDirect),
      DataLoaderOptions(kSmallBatch).workers(2));
  expect_named(stream_loader);
}

// "Prefetch restarts cold each epoch."
TEST_F(LoaderTrapsTest, NextEpochIsPrefetched) {
  const Names dataset = Map();
  EpochSampler sampler(dataset, {.batch_size = kSmallBatch});
  const auto loader = torch::data::make_data_loader(Names(dataset), sampler, DataLoaderOptions(kSmallBatch).workers(2));
  for (const auto& batch : *loader) {
    EXPECT_FALSE(batch.empty());
    sampler.BatchConsumed();
  }
  while (Reads() < 2U * kNamed) std::this_thread::yield();  // The second epoch was not requested.
}

// "A StatefulDataset is read ahead by its workers, so its own position is not the consumer's."
TEST_F(LoaderTrapsTest, ReadAheadIsNotConsumed) {
  NameStream dataset(client_, Object("n/"), NameAsSample, {.order = SampleOrder::kByName, .batch_size = kSmallBatch},
                     kDirect);
  {
    const auto loader = torch::data::make_data_loader(NameStream(dataset), DataLoaderOptions(kSmallBatch).workers(1));
    int batches = 0;
    for (const auto& batch : *loader) {
      EXPECT_FALSE(batch.empty());
      dataset.BatchConsumed();
      if (++batches == 3) break;
    }
  }
  EXPECT_EQ(dataset.consumed().consumed, 3 * kSmallBatch);
  EXPECT_GE(dataset.cursor().consumed, 3 * kSmallBatch);
}

// "DistributedRandomSampler seeds from the epoch only and repeats without set_epoch()."
TEST_F(LoaderTrapsTest, EpochsAndSeedsDifferByDefault) {
  const Names dataset = Map();
  std::vector<std::vector<std::string>> orders;
  for (const std::uint64_t seed : {1U, 2U}) {
    EpochSampler sampler(dataset, {.seed = seed, .batch_size = kSmallBatch});
    const auto loader = torch::data::make_data_loader(Names(dataset), sampler, DataLoaderOptions(kSmallBatch));
    for (int epoch = 0; epoch < 2; ++epoch) {
      auto& names = orders.emplace_back();
      for (const auto& batch : *loader) {
        names.insert(names.end(), batch.begin(), batch.end());
        sampler.BatchConsumed();
      }
    }
  }
  std::ranges::sort(orders);
  EXPECT_EQ(std::ranges::adjacent_find(orders), orders.end());
}

}  // namespace
}  // namespace gcsflux
