#include "dataset/epoch_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "support/fails_with.h"

namespace gcsflux::internal {
namespace {

using Samples = std::vector<std::uint64_t>;

EpochOptions OptionsOf(std::uint64_t batch, std::uint64_t world, EpochTail tail,
                       SampleOrder order = SampleOrder::kShuffled) {
  return {.order = order, .tail = tail, .seed = 5, .batch_size = batch, .world_size = world};
}

// The samples that all ranks use, by batch, from `consumed` on.
Samples UsedBy(EpochOptions options, std::uint64_t count, std::uint64_t consumed, std::uint64_t batches = ~0ULL) {
  Samples used;
  for (options.rank = 0; options.rank < options.world_size; ++options.rank) {
    const EpochPlan plan(options, count, /*epoch=*/2, consumed);
    for (std::uint64_t b = 0; b < std::min(batches, plan.batches()); ++b) {
      const auto batch = plan.BatchAt(b);
      for (std::uint64_t i = 0; i < batch.size; ++i) used.push_back(plan.SampleAt(batch.first + i));
    }
  }
  std::sort(used.begin(), used.end());
  return used;
}

Samples UpTo(std::uint64_t count) {
  Samples all(count);
  for (std::uint64_t i = 0; i < count; ++i) all[i] = i;
  return all;
}

TEST(EpochPlan, UsesEachSampleOnceForAnyRanksAndBatches) {
  for (const std::uint64_t count : {0, 1, 2, 5, 16, 17, 24, 100, 101}) {
    for (const std::uint64_t world : {1, 2, 3, 5, 8}) {
      for (const std::uint64_t batch : {1, 2, 3, 8, 64}) {
        EXPECT_EQ(UsedBy(OptionsOf(batch, world, EpochTail::kUneven), count, 0), UpTo(count))
            << count << " samples, " << world << " ranks, batches of " << batch;
      }
    }
  }
}

// Killed anywhere, and resumed with another number of ranks and other batches: before and after are the epoch.
TEST(EpochPlan, CoversTheEpochAcrossAnInterruption) {
  std::mt19937 random(1);
  const auto pick = [&](int from, int to) {
    return static_cast<std::uint64_t>(std::uniform_int_distribution(from, to)(random));
  };
  for (int trial = 0; trial < 2'000; ++trial) {
    const std::uint64_t count = pick(1, 300);
    std::uint64_t consumed = 0;
    Samples used;
    for (int life = 0; life < 3 && consumed < count; ++life) {
      const auto options = OptionsOf(pick(1, 9), pick(1, 5), EpochTail::kUneven);
      const EpochPlan plan(options, count, 2, consumed);
      const std::uint64_t batches = life == 2 ? plan.batches() : pick(0, static_cast<int>(plan.batches()));
      const auto now = UsedBy(options, count, consumed, batches);
      used.insert(used.end(), now.begin(), now.end());
      if (batches > 0) consumed = plan.BatchAt(batches - 1).consumed;
    }
    std::sort(used.begin(), used.end());
    ASSERT_EQ(used, UpTo(count)) << "trial " << trial;
  }
}

TEST(EpochPlan, GivesAllRanksTheSameNumberOfBatches) {
  for (std::uint64_t count = 5; count < 200; ++count) {
    EpochOptions options = OptionsOf(4, 5, EpochTail::kUneven);
    const std::uint64_t batches = EpochPlan(options, count, 0, 0).batches();
    for (options.rank = 0; options.rank < options.world_size; ++options.rank) {
      const EpochPlan plan(options, count, 0, 0);
      ASSERT_EQ(plan.batches(), batches) << "rank " << options.rank << " of " << count;
      for (std::uint64_t b = 0; b < batches; ++b) {
        ASSERT_GE(plan.BatchAt(b).size, 1U) << "rank " << options.rank << " of " << count;
        ASSERT_LE(plan.BatchAt(b).size, options.batch_size);
      }
    }
  }
}

TEST(EpochPlan, DropsTheTailAndCountsIt) {
  const auto options = OptionsOf(4, 2, EpochTail::kDrop);
  const EpochPlan plan(options, 21, 0, 0);
  EXPECT_EQ(plan.batches(), 2U);
  EXPECT_EQ(plan.dropped(), 5U);
  EXPECT_EQ(UsedBy(options, 21, 0).size(), 16U);
  EXPECT_EQ(plan.BatchAt(1).consumed, 21U) << "the epoch is over";
}

TEST(EpochPlan, PadsTheTailFromTheStart) {
  const auto options = OptionsOf(4, 2, EpochTail::kPad, SampleOrder::kByName);
  const EpochPlan plan(options, 21, 0, 0);
  EXPECT_EQ(plan.batches(), 3U);
  EXPECT_EQ(plan.padded(), 3U);
  Samples want = UpTo(21);
  want.insert(want.end(), {0, 1, 2});
  std::sort(want.begin(), want.end());
  EXPECT_EQ(UsedBy(options, 21, 0), want);
  EXPECT_EQ(plan.BatchAt(2).consumed, 21U);
}

TEST(EpochPlan, PadsFewSamplesRepeatedly) { EXPECT_EQ(UsedBy(OptionsOf(4, 2, EpochTail::kPad), 3, 0).size(), 8U); }

TEST(EpochPlan, KeepsTheListingsOrderByName) {
  const auto options = OptionsOf(3, 1, EpochTail::kUneven, SampleOrder::kByName);
  const EpochPlan plan(options, 7, 0, 2);
  EXPECT_EQ(plan.SampleAt(plan.BatchAt(0).first), 2U);
  EXPECT_EQ(plan.BatchAt(0).consumed, 5U);
  EXPECT_EQ(plan.BatchAt(1).first, 5U);
  EXPECT_EQ(plan.BatchAt(1).size, 2U);
}

TEST(EpochPlan, RefusesInvalidOptions) {
  struct Case {
    const char* member;
    EpochOptions options;
  };
  const Case cases[] = {{"batch_size", {.batch_size = 0}},
                        {"world_size", {.world_size = 0}},
                        {"rank", {.rank = 2, .world_size = 2}},
                        {"batch_size", {.batch_size = kMaxBatchSize + 1}},
                        {"world_size", {.world_size = std::uint64_t{1} << 32}}};
  for (const Case& c : cases) {
    const auto checked = CheckEpochOptions(c.options);
    ASSERT_TRUE(testing::FailsWith(checked, ErrorCode::kInvalidArgument)) << c.member;
    EXPECT_NE(checked.error().message.find(c.member), std::string::npos) << checked.error().message;
  }
  EXPECT_TRUE(CheckEpochOptions({}).ok());
  EXPECT_TRUE(CheckEpochOptions({.batch_size = kMaxBatchSize}).ok());
}

}  // namespace
}  // namespace gcsflux::internal
