// When a read counts as stalled, and how often that may be hedged.
#include "retry/read_pace.h"

#include <gtest/gtest.h>

#include <random>

#include "retry/hedge_budget.h"
#include "retry/running_percentile.h"

namespace gcsflux::internal {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

TEST(RunningPercentile, NeedsSeveralDurations) {
  RunningPercentile percentile(0.5);
  for (int i = 0; i < 19; ++i) percentile.Add(1ms);
  EXPECT_FALSE(percentile.Estimate());
  percentile.Add(1ms);
  EXPECT_TRUE(percentile.Estimate());
}

TEST(RunningPercentile, OverestimatesByAtMostOneBin) {
  RunningPercentile percentile(0.95);
  for (int i = 1; i <= 1000; ++i) percentile.Add(i * 1ms);
  const auto estimate = percentile.Estimate().value();
  EXPECT_GE(estimate, 950ms);
  EXPECT_LE(estimate, 950ms * 1.0905 + 1ms);
}

TEST(RunningPercentile, ForgetsOldDurations) {
  RunningPercentile percentile(0.95);
  for (int i = 0; i < 1000; ++i) percentile.Add(1s);
  for (int i = 0; i < 6000; ++i) percentile.Add(10ms);
  EXPECT_LE(percentile.Estimate().value(), 11ms);
}

TEST(RunningPercentile, AcceptsDurationsOfAnyLength) {
  RunningPercentile percentile(0.5);
  for (int i = 0; i < 20; ++i) percentile.Add(i % 2 == 0 ? nanoseconds(-5) : nanoseconds(0));
  EXPECT_LE(percentile.Estimate().value(), 2us);
  for (int i = 0; i < 100; ++i) percentile.Add(nanoseconds::max());
  EXPECT_GE(percentile.Estimate().value(), 10min);
}

TEST(ReadPace, WaitsAFactorLongerThanThePercentile) {
  ReadPace pace({.stall_factor = 3, .min_stall = 1ms});
  EXPECT_FALSE(pace.FirstBytePatience());
  for (int i = 0; i < 100; ++i) pace.OnFirstByte(i < 96 ? 100ms : 20s);
  const auto patience = pace.FirstBytePatience().value();
  EXPECT_GE(patience, 300ms);
  EXPECT_LE(patience, 330ms);
  EXPECT_FALSE(pace.BlockPatience()) << "nothing is known of streams";
}

TEST(ReadPace, IsNeverShorterThanItsMinimum) {
  ReadPace pace({.min_stall = 250ms});
  for (int i = 0; i < 50; ++i) pace.OnFirstByte(1ms);
  EXPECT_EQ(pace.FirstBytePatience(), nanoseconds(250ms));
}

TEST(ReadPace, JudgesStreamsByTheTimePerBlock) {
  ReadPace pace({.stall_factor = 2, .min_stall = 1ms});
  for (int i = 0; i < 30; ++i) pace.OnBody(ReadPace::kBlockBytes / 2, 50ms);  // 100 ms per block
  for (int i = 0; i < 300; ++i) pace.OnBody(100, 10s);                        // too few bytes to tell
  const auto patience = pace.BlockPatience().value();
  EXPECT_GE(patience, 200ms);
  EXPECT_LE(patience, 220ms);
}

TEST(HedgeBudget, AllowsAShareOfRequests) {
  HedgeBudget budget(0.05);
  EXPECT_FALSE(budget.Take()) << "nothing was asked for yet";
  int taken = 0;
  for (int i = 0; i < 10'000; ++i) {
    budget.OnRequest();
    if (budget.Take()) ++taken;
  }
  EXPECT_GE(taken, 499);
  EXPECT_LE(taken, 500);
}

TEST(HedgeBudget, SavesAtMostABurst) {
  HedgeBudget budget(0.05);
  for (int i = 0; i < 1'000'000; ++i) budget.OnRequest();
  int taken = 0;
  while (budget.Take()) ++taken;
  EXPECT_EQ(taken, 64);
}

}  // namespace
}  // namespace gcsflux::internal
