// Datasets without libtorch, against the emulator: each sample once, under all conditions.
#include "dataset/dataset_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <new>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "dataset/dataset_fixture.h"

namespace gcsflux::internal {
namespace {

using std::chrono::milliseconds;
using testing::DatasetTest;
using testing::Texts;

TEST_F(DatasetTest, GivesEachSampleOnceUnderFaults) {
  Put(40);
  std::mt19937 random(7);
  std::map<std::string, std::uint64_t> disturbances;
  for (const SampleOrder order : {SampleOrder::kByName, SampleOrder::kShuffled, SampleOrder::kBuffered}) {
    for (const std::uint64_t ranks : {1U, 2U, 3U, 5U}) {
      for (const int workers : {1, 2, 8}) {
        SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(workers) + " workers");
        Disturb(random());
        std::vector<Texts> epochs(2);
        for (std::uint64_t rank = 0; rank < ranks; ++rank) {
          const EpochOptions how{
              .order = order, .shuffle_buffer = 9, .seed = 5, .batch_size = 4, .rank = rank, .world_size = ranks};
          const auto core = Core(order != SampleOrder::kShuffled);
          for (std::uint64_t epoch = 0; epoch < 2; ++epoch) Add(epochs[epoch], Epoch(*core, how, epoch, workers));
        }
        for (Texts& texts : epochs) EXPECT_EQ(Sorted(texts), All());
        for (const auto& [fault, fired] : Disturbances()) disturbances[fault] += fired;
      }
    }
  }
  for (const auto& [fault, fired] : disturbances) EXPECT_GT(fired, 0U) << fault;
}

TEST_F(DatasetTest, ResumesAfterAnyBatchWithAnyNumberOfRanks) {
  Put(60);
  std::mt19937 random(11);
  for (int round = 0; round < 30; ++round) {
    const auto order = static_cast<SampleOrder>(round % 3);
    EpochOptions how{.order = order, .shuffle_buffer = 9, .seed = 5, .batch_size = 4};
    Texts used;
    Cursor cursor = Beginning(how);
    // Some runs are killed twice in an epoch, some at its very end, and some change the number of ranks.
    for (int run = 0; cursor.epoch == 0; ++run) {
      how.world_size = run % 3 == 2 ? 1 + random() % 3 : 1;
      const std::uint64_t batches = run == 2 ? ~std::uint64_t{0} : random() % 8;
      Cursor behind = cursor;
      for (how.rank = 0; how.rank < how.world_size; ++how.rank) {
        const auto core = Core(order != SampleOrder::kShuffled);
        behind = Use(*core, how, {.cursor = cursor}, batches, used);
      }
      cursor = *ParseCursor(FormatCursor(behind));
    }
    EXPECT_EQ(Sorted(used), All()) << "round " << round;
    if (order == SampleOrder::kByName && how.world_size == 1) {
      EXPECT_EQ(used, All());
    }
  }
}

TEST_F(DatasetTest, KeepsReadAheadWithinTheBudget) {
  constexpr std::uint64_t kBudget = 64 << 10;
  Put(64, 4 << 10);
  const Client client = MakeClient({.max_undelivered_bytes = kBudget});
  const EpochOptions how{.seed = 5, .batch_size = 8};
  const auto core = CoreOf(client, /*is_live=*/false);
  ASSERT_TRUE(core->Expect(how, {.cursor = Beginning(how)}));
  // Nothing is consumed: exactly the read-ahead is fetched.
  const std::size_t most = kBudget / ((4 << 10) + 1024);  // Including the memory of an object's holder.
  AwaitReads(most);
  EXPECT_EQ(Reads(), most);
  Texts texts;
  while (auto batch = *core->Next(0)) Add(texts, TextsOf(*batch));
  EXPECT_EQ(Sorted(texts), All());
}

TEST_F(DatasetTest, FetchesOnlyTheBeginningOfTheNextEpoch) {
  Put(600);
  const EpochOptions how{.seed = 5, .batch_size = 300};
  const auto core = Core(/*is_live=*/false);
  ASSERT_TRUE(core->Expect(how, {.cursor = Beginning(how)}));
  AwaitReads(1200);  // The epoch, and 4 batches of the next one, which has 2.
  Texts used;
  EXPECT_EQ(Use(*core, how, {.cursor = Beginning(how)}, 2, used).epoch, 1U);
  EXPECT_EQ(Reads(), 1200U);
  EXPECT_TRUE((*core->Next(1)).has_value());
  AwaitReads(1800);  // That of the next one.
}

TEST_F(DatasetTest, DeliversABatchLargerThanTheBudget) {
  Put(32, 4 << 10);
  const Client client = MakeClient({.max_undelivered_bytes = 8 << 10});
  const EpochOptions how{.order = SampleOrder::kByName, .batch_size = 32};
  const auto core = CoreOf(client, /*is_live=*/true);
  EXPECT_EQ(Epoch(*core, how, 0, 1), All());
}

TEST_F(DatasetTest, SharesAClientWithAnAbandonedDataset) {
  Put(32, 4 << 10);
  const Client client = MakeClient({.max_undelivered_bytes = 16 << 10});
  const EpochOptions how{.seed = 5, .batch_size = 4};
  const auto first = CoreOf(client, /*is_live=*/false);
  const auto second = CoreOf(client, /*is_live=*/false);
  ASSERT_TRUE(first->Expect(how, {.cursor = Beginning(how)}));
  ASSERT_TRUE(second->Expect(how, {.cursor = Beginning(how)}));
  Texts of_second;
  for (int i = 0; auto batch = *second->Next(0); ++i) {
    Add(of_second, TextsOf(*batch));
    if (i < 3) {
      ASSERT_TRUE((*first->Next(0)).has_value());
    }
  }
  EXPECT_EQ(Sorted(of_second), All());
}

TEST_F(DatasetTest, ReleasesTheReadAheadOfAbandonedEpochs) {
  Put(32);
  const std::size_t threads = CountOf("/proc/self/task") + 1;
  const std::size_t descriptors = CountOf("/proc/self/fd") + 1;  // And a connection of the emulator's.
  {
    const Client client = MakeClient({});
    const auto core = CoreOf(client, /*is_live=*/true);
    const EpochOptions how{.order = SampleOrder::kBuffered, .shuffle_buffer = 4, .batch_size = 4};
    Cursor cursor = Beginning(how);
    for (int epoch = 0; epoch < 10; ++epoch) {
      Texts used;
      cursor = Use(*core, how, {.cursor = cursor}, epoch % 2 == 0 ? 2 : ~std::uint64_t{0}, used);
    }
  }
  AwaitDescriptors(descriptors);
  while (CountOf("/proc/self/task") > threads) std::this_thread::yield();  // The emulator's end by themselves.
}

TEST_F(DatasetTest, DecodesObjectsDuringOtherDownloads) {
  Put(8);
  // The last object stalls until the first seven are decoded: a loop that decodes at the end would wait without end.
  Hold("o-000007");
  std::atomic<int> decoded = 0;
  const auto core = Core(/*is_live=*/false, [&](const std::string&) {
    if (++decoded == 7) Release();
  });
  EXPECT_EQ(TextsOf(core->Fetch(std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7})), All());
}

// A batch is made on an event loop, where an exception would end the process.
TEST_F(DatasetTest, ReportsMissingMemoryForABatch) {
  Put(20);
  std::atomic<int> made = 0;
  on_make_ = [&] {
    if (++made == 3) throw std::bad_alloc();
  };
  const auto core = Core(/*is_live=*/false);
  const EpochOptions how{.order = SampleOrder::kByName, .batch_size = 4};
  ASSERT_TRUE(core->Expect(how, {.cursor = Beginning(how)}));
  std::optional<Error> error;
  for (int i = 0; i < 5 && !error; ++i) {
    const auto batch = core->Next(0);
    if (!batch) error = batch.error();
    if (batch && *batch && (*batch)->error) error = (*batch)->error;
  }
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kLocalIo);
  EXPECT_EQ(error->message, "out of memory");
  EXPECT_EQ(made, 3);
  // The next loop starts over.
  Texts used;
  Use(*core, how, {.cursor = Beginning(how)}, 5, used);
  EXPECT_EQ(used, All());
}

// In any order of arrival.
TEST_F(DatasetTest, ReportsTheFirstOfSeveralFailedSamples) {
  Put(4);
  const auto core = Core(/*is_live=*/false, [](const std::string& name) {
    if (name != "o-000000") throw std::runtime_error(name);
  });
  const EpochOptions how{.order = SampleOrder::kByName, .batch_size = 4};
  ASSERT_TRUE(core->Expect(how, {.cursor = Beginning(how)}));
  const auto batch = core->Next(0);
  ASSERT_TRUE(batch.ok() && *batch && (*batch)->exception);
  try {
    std::rethrow_exception((*batch)->exception);
  } catch (const std::runtime_error& failure) {
    EXPECT_STREQ(failure.what(), "o-000001");
  }
}

}  // namespace
}  // namespace gcsflux::internal
