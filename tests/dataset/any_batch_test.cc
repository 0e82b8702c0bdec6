// Batches requested in another order than the announced one, while the read-ahead fills the budget.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "client/client_core.h"
#include "dataset/batch_stream.h"
#include "dataset/dataset_fixture.h"

namespace gcsflux::internal {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;
using testing::Texts;

constexpr std::size_t kCount = 64;
constexpr std::uint64_t kBytes = 4 << 10;
constexpr std::uint64_t kCharge = kBytes + 1024;  // Of an object, with its bookkeeping.

class AnyBatchTest : public testing::DatasetTest {
 protected:
  AnyBatchTest() {
    Put(kCount, kBytes);
    options_.fetch_across_epochs = false;
  }

  /// A dataset that may read ahead this many objects, and has done so, in the order of their names.
  [[nodiscard]] std::unique_ptr<DatasetCore> Begun(std::size_t ahead, std::uint64_t batch) const {
    auto core = CoreOf(MakeClient({.max_undelivered_bytes = ahead * kCharge}), /*is_live=*/false);
    Announce(*core, 0, batch);
    AwaitReads(ahead);
    return core;
  }

  /// As an EpochSampler does at the start of each epoch.
  static void Announce(const DatasetCore& core, std::uint64_t epoch, std::uint64_t batch) {
    Cursor start{.epoch = epoch, .order = SampleOrder::kByName, .listing = core.fingerprint()};
    EXPECT_TRUE(core.Expect({.order = SampleOrder::kByName, .batch_size = batch}, {.cursor = start}));
  }

  [[nodiscard]] static std::vector<std::size_t> Samples(std::size_t batch, std::size_t size) {
    std::vector<std::size_t> samples(size);
    std::iota(samples.begin(), samples.end(), batch * size);
    return samples;
  }

  void ExpectFetched(const DatasetCore& core, const std::vector<std::size_t>& samples) const {
    Texts wanted;
    for (const std::size_t sample : samples) wanted.push_back(All()[sample]);
    EXPECT_EQ(TextsOf(core.Fetch(samples)), wanted);
  }
};

TEST_F(AnyBatchTest, FetchesAUsedSampleAgainWithinItsEpoch) {
  options_.fetch_across_epochs = true;
  const auto core = Begun(3, 1);
  for (std::size_t sample = 0; sample < kCount; ++sample) {
    ExpectFetched(*core, {sample});
    if (sample % 2 == 1) ExpectFetched(*core, {sample / 2});
  }
  EXPECT_EQ(core->report({}).epochs, 1U);
}

TEST_F(AnyBatchTest, FetchesASampleFarAhead) {
  const auto core = Begun(3, 1);
  ExpectFetched(*core, {50});
  for (std::size_t sample = 0; sample < kCount; ++sample) ExpectFetched(*core, {sample});
}

TEST_F(AnyBatchTest, FetchesSamplesThatFormNoBatchOfTheOrder) {
  const auto core = Begun(8, 8);
  ExpectFetched(*core, {5, 3, 60, 3});
  for (std::size_t batch = 0; batch < kCount / 8; ++batch) ExpectFetched(*core, Samples(batch, 8));
}

TEST_F(AnyBatchTest, FetchesTheBatchAfterTheNextWithoutRepeats) {
  const auto core = Begun(3, 8);
  for (std::size_t batch = 0; batch < kCount / 8; ++batch) ExpectFetched(*core, Samples(batch ^ 1U, 8));
  EXPECT_EQ(Reads(), kCount);
}

TEST_F(AnyBatchTest, CompletesAPartlyPrefetchedBatch) {
  const auto core = Begun(20, 8);  // Half of the third batch.
  ExpectFetched(*core, Samples(2, 8));
  for (const std::size_t batch : {7U, 0U, 1U, 3U, 4U, 5U, 6U}) ExpectFetched(*core, Samples(batch, 8));
  EXPECT_EQ(Reads(), kCount);
}

TEST_F(AnyBatchTest, FetchesBatchesInAnyOrderForAnyNumberOfThreads) {
  std::mt19937 random(7);
  for (int round = 0; round < 12; ++round) {
    const std::size_t size = std::size_t{1} << (round % 4);
    std::vector<std::size_t> batches(kCount / size);
    std::iota(batches.begin(), batches.end(), 0);
    std::ranges::shuffle(batches, random);
    const std::size_t read_before = Reads();
    const auto core = Begun(1 + random() % 20, size);
    std::vector<std::jthread> threads;
    constexpr std::size_t kThreads = 4;
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::size_t i = thread; i < batches.size(); i += kThreads) ExpectFetched(*core, Samples(batches[i], size));
      });
    }
    threads.clear();
    EXPECT_EQ(Reads() - read_before, kCount) << "round " << round;
  }
}

TEST_F(AnyBatchTest, ReportCountsConsumedBatchesAndEpochs) {
  options_.fetch_across_epochs = true;
  const auto core = Begun(3, 16);
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    Announce(*core, epoch, 16);
    for (std::size_t batch = 0; batch < kCount / 16; ++batch) {
      ExpectFetched(*core, Samples(batch, 16));
      ExpectFetched(*core, {batch});
    }
  }
  const DatasetReport report = core->report({});
  EXPECT_EQ(report.epochs, 3U);
  EXPECT_EQ(report.batches, 3U * 2 * kCount / 16);
  EXPECT_EQ(report.samples, 3U * (kCount + kCount / 16));
}

TEST_F(AnyBatchTest, ReportCountsNoFailedBatch) {
  const auto core = CoreOf(MakeClient({}), /*is_live=*/false);
  ASSERT_TRUE(MakeClient({}).DeleteObject({"bkt", All()[1]}));
  EXPECT_TRUE(core->Fetch(std::vector<std::size_t>{0, 1}).error);
  EXPECT_EQ(core->report({}).batches, 0U);
  EXPECT_EQ(core->report({}).samples, 0U);
  EXPECT_EQ(core->report({}).bytes, 0U);
}

// Batches of this size without end.
class EndlessOrder : public BatchOrder {
 public:
  EndlessOrder(std::size_t size, std::size_t& planned) : size_(size), planned_(planned) {}
  std::optional<PlannedBatch> Next() override {
    ++planned_;
    return PlannedBatch{.samples = std::vector<std::size_t>(size_)};
  }
  [[nodiscard]] bool is_over() const override { return false; }
  [[nodiscard]] std::uint64_t expected() const override { return 0; }

 private:
  const std::size_t size_;
  std::size_t& planned_;
};

TEST_F(AnyBatchTest, SearchPlansFewSamples) {
  const auto downloads = std::make_shared<const DownloaderCore>(MakeClient({}), DownloaderOptions());
  struct Case {
    std::size_t size;
    std::size_t most;
  };
  for (const Case& c : {Case{1, 1024}, Case{80, 820}, Case{10'000, 6}, Case{1'000'000, 1}}) {
    std::size_t planned = 0;
    const auto stream =
        BatchStream::Make(downloads, std::make_unique<EndlessOrder>(c.size, planned), {},
                          {.object_at = nullptr,
                           .work = {.make = [](std::size_t) { return std::make_shared<int>(); }, .decode = nullptr},
                           .tally = std::make_shared<DatasetTally>()});
    EXPECT_FALSE(stream->ClaimSamples(0, std::vector<std::size_t>{5}));
    EXPECT_THAT(planned, AllOf(Ge(1U), Le(c.most))) << c.size;
    const std::size_t first = planned;
    EXPECT_FALSE(stream->ClaimSamples(0, std::vector<std::size_t>{5}));
    EXPECT_EQ(planned, first) << c.size;
  }
}

}  // namespace
}  // namespace gcsflux::internal
