// How much is decoded before it is requested.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "dataset/dataset_fixture.h"

namespace gcsflux::internal {
namespace {

using testing::kDecodedBytes;
using testing::Texts;

constexpr std::size_t kObjects = 64;
constexpr std::size_t kMost = 10;

class DecodedAheadTest : public testing::DatasetTest {
 protected:
  DecodedAheadTest() {
    Put(kObjects);
    options_.fetch_across_epochs = false;
  }

  /// A dataset whose objects have all arrived, decoded up to the limit.
  [[nodiscard]] std::unique_ptr<DatasetCore> Begun(std::uint64_t batch) {
    auto core = CoreOf(MakeClient({}), /*is_live=*/false, [this](const std::string&) { ++decoded_; });
    Cursor start{.order = SampleOrder::kByName, .listing = core->fingerprint()};
    EXPECT_TRUE(core->Expect({.order = SampleOrder::kByName, .batch_size = batch}, {.cursor = start}));
    AwaitReads(kObjects);
    while (core->report({}).decoded_bytes < kMost * kDecodedBytes) std::this_thread::yield();
    return core;
  }

  /// Consumes all batches.
  void ExpectAll(const DatasetCore& core) {
    Texts texts;
    while (auto batch = *core.Next(0)) Add(texts, TextsOf(*batch));
    EXPECT_EQ(texts, All());
    EXPECT_EQ(decoded_, static_cast<int>(kObjects));
    EXPECT_EQ(core.report({}).decoded_samples, 0U);
    EXPECT_EQ(core.report({}).decoded_bytes, 0U);
  }

  std::atomic<int> decoded_ = 0;
};

TEST_F(DecodedAheadTest, StaysWithinTheLimitOfSamples) {
  options_.max_decoded_samples = kMost;
  const auto core = Begun(4);
  EXPECT_EQ(core->report({}).decoded_samples, kMost);
  ExpectAll(*core);
  EXPECT_EQ(core->report({}).max_decoded_bytes, kMost * kDecodedBytes);
}

TEST_F(DecodedAheadTest, LimitsBytesPlusOneSamplePerThread) {
  options_.max_decoded_bytes = kMost * kDecodedBytes;
  const auto core = Begun(4);
  ExpectAll(*core);
  const std::uint64_t most = core->report({}).max_decoded_bytes;
  EXPECT_GE(most, kMost * kDecodedBytes);
  EXPECT_LT(most, (kMost + static_cast<std::size_t>(options_.decode_threads)) * kDecodedBytes);
}

TEST_F(DecodedAheadTest, DeliversABatchAboveTheLimit) {
  options_.max_decoded_samples = kMost;
  const auto core = Begun(32);
  ExpectAll(*core);
}

TEST_F(DecodedAheadTest, DecodesABatchOutOfTurnDespiteTheLimit) {
  options_.max_decoded_samples = kMost;
  const auto core = Begun(16);
  std::vector<std::size_t> last;
  for (std::size_t sample = 48; sample < kObjects; ++sample) last.push_back(sample);
  EXPECT_EQ(TextsOf(core->Fetch(last)), Texts(All().begin() + 48, All().end()));
  EXPECT_EQ(core->report({}).decoded_samples, kMost);
}

TEST_F(DecodedAheadTest, DecodesNothingAheadWithALimitOfZero) {
  options_.max_decoded_samples = 0;
  auto core = CoreOf(MakeClient({}), /*is_live=*/false, [this](const std::string&) { ++decoded_; });
  Cursor start{.order = SampleOrder::kByName, .listing = core->fingerprint()};
  ASSERT_TRUE(core->Expect({.order = SampleOrder::kByName, .batch_size = 4}, {.cursor = start}));
  ExpectAll(*core);
  EXPECT_EQ(core->report({}).max_decoded_bytes, 0U);
}

TEST_F(DecodedAheadTest, ExcludesAnAbandonedLoopFromTheReport) {
  options_.max_decoded_samples = kMost;
  const auto core = Begun(4);
  Cursor start{.epoch = 1, .order = SampleOrder::kByName, .listing = core->fingerprint()};
  ASSERT_TRUE(core->Expect({.order = SampleOrder::kByName, .batch_size = 32}, {.cursor = start}));
  Texts texts;
  while (auto batch = *core->Next(1)) Add(texts, TextsOf(*batch));
  EXPECT_EQ(texts, All());
  while (core->report({}).decoded_samples > 0) std::this_thread::yield();  // A decode thread may hold the old order.
}

}  // namespace
}  // namespace gcsflux::internal
