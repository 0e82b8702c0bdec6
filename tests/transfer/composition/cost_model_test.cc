// The estimated costs of composing, and their sources.
#include "transfer/composition/cost_model.h"

#include <gtest/gtest.h>

#include <chrono>

#include "transfer/composition/fetch_estimates.h"

namespace gcsflux::internal {
namespace {

using namespace std::chrono_literals;

constexpr FetchCosts kCosts{.first_byte = 0.06, .seconds_per_byte = 1 / 250e6, .compose = 0.1, .remove = 0.04};

TEST(CostModel, CountsRoundsOfDirectReads) {
  const FetchCosts costs{.first_byte = 0.1, .seconds_per_byte = 1e-6};
  EXPECT_DOUBLE_EQ(DirectSeconds(costs, {.objects = 16, .mean_bytes = 100'000, .connections = 16}), 0.2);
  EXPECT_DOUBLE_EQ(DirectSeconds(costs, {.objects = 17, .mean_bytes = 100'000, .connections = 16}), 0.4);
  EXPECT_DOUBLE_EQ(DirectSeconds(costs, {.objects = 3, .mean_bytes = 0, .connections = 1}), 0.3);
}

TEST(CostModel, ComposesWithoutWaitingForTheLastDeletes) {
  const FetchCosts costs{.first_byte = 0.1, .seconds_per_byte = 1e-6, .compose = 0.2, .remove = 0.05};
  const RemainingWork work{.objects = 64, .mean_bytes = 10'000, .connections = 2};
  EXPECT_DOUBLE_EQ(ComposedSeconds(costs, work, 32), 0.2 + 0.1 + 0.32);
  EXPECT_DOUBLE_EQ(ComposedSeconds(costs, work, 16), 2 * (0.2 + 0.1 + 0.16 + 0.05) - 0.05);
}

TEST(CostModel, LimitsWritesToTheServicesRate) {
  FetchCosts costs = kCosts;
  costs.writes_per_second = 10;
  EXPECT_DOUBLE_EQ(ComposedSeconds(costs, {.objects = 320, .mean_bytes = 1, .connections = 16}, 32), 2.0);
}

TEST(CostModel, DividesObjectsAmongConnections) {
  EXPECT_EQ(BestGroup(kCosts, {.objects = 64, .mean_bytes = 3e6, .connections = 16}, 32), 4U);
  EXPECT_EQ(BestGroup(kCosts, {.objects = 640, .mean_bytes = 3e6, .connections = 16}, 31), 20U);
  EXPECT_EQ(BestGroup(kCosts, {.objects = 100'000, .mean_bytes = 1e5, .connections = 16}, 32), 32U);
  EXPECT_EQ(BestGroup(kCosts, {.objects = 3, .mean_bytes = 1e5, .connections = 16}, 2), 2U);
}

TEST(CostModel, PrefersFewerRequestsAtEqualTime) {
  FetchCosts costs = kCosts;
  costs.seconds_per_byte = 0;
  EXPECT_EQ(BestGroup(costs, {.objects = 64, .mean_bytes = 1, .connections = 16}, 32), 32U);
}

TEST(RunningMean, FollowsTheLatestValues) {
  RunningMean mean;
  EXPECT_FALSE(mean.value().has_value());
  mean.Add(4);
  mean.Add(2);
  EXPECT_DOUBLE_EQ(*mean.value(), 3);
  for (int i = 0; i < 200; ++i) mean.Add(10);
  EXPECT_NEAR(*mean.value(), 10, 0.01);
}

class FetchEstimatesTest : public ::testing::Test {
 protected:
  FetchEstimates estimates_;
  FetchEstimates::TimePoint now_{100s};
};

TEST_F(FetchEstimatesTest, LearnFirstBytesAndRatesSeparately) {
  for (int i = 0; i < 50; ++i) {
    estimates_.NoteRead({.first_byte = 40ms, .total = 41ms, .bytes = 100'000});
    estimates_.NoteRead({.first_byte = 40ms, .total = 140ms, .bytes = 10'000'000});
  }
  const auto costs = estimates_.Get(now_).costs;
  EXPECT_NEAR(costs.first_byte, 0.04, 1e-6);
  EXPECT_NEAR(costs.seconds_per_byte, 1e-8, 1e-10);
}

TEST_F(FetchEstimatesTest, KnowNoComposeTimeBeforeASuccess) {
  const auto failed = estimates_.BeginCompose(now_);
  estimates_.EndCompose(failed, now_ + 1s, false);
  EXPECT_FALSE(estimates_.Get(now_ + 1s).knows_compose);
  const auto made = estimates_.BeginCompose(now_ + 1s);
  estimates_.EndCompose(made, now_ + 1s + 80ms, true);
  const auto estimate = estimates_.Get(now_ + 2s);
  EXPECT_TRUE(estimate.knows_compose);
  EXPECT_NEAR(estimate.costs.compose, 0.08, 1e-6);
  EXPECT_EQ(estimate.composed_last, now_ + 1s + 80ms);
}

TEST_F(FetchEstimatesTest, IncludeARunningCompose) {
  const auto slow = estimates_.BeginCompose(now_);
  const auto quick = estimates_.BeginCompose(now_ + 1s);
  EXPECT_DOUBLE_EQ(estimates_.Get(now_ + 3s).composing_for, 3);
  estimates_.EndCompose(slow, now_ + 3s, true);
  EXPECT_DOUBLE_EQ(estimates_.Get(now_ + 3s).composing_for, 2);
  estimates_.EndCompose(quick, now_ + 3s, true);
  EXPECT_DOUBLE_EQ(estimates_.Get(now_ + 3s).composing_for, 0);
}

}  // namespace
}  // namespace gcsflux::internal
