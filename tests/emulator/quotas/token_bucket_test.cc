#include "quotas/token_bucket.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "quotas/keyed_buckets.h"

namespace gcsflux::emulator {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

const Clock::Time kFilled = Clock::Time(seconds(1'700'000'000));

bool TryTake(TokenBucket& bucket, Clock::Time now) {
  if (!bucket.HasToken(now)) return false;
  bucket.Take(now, 1);
  return true;
}

// How many tokens it gives to a caller that asks `per_second` times per second for so long.
int CountTaken(TokenBucket& bucket, Clock::Time begin, int per_second, seconds time) {
  int taken = 0;
  for (int i = 0; i < per_second * time.count(); ++i) {
    taken += TryTake(bucket, begin + nanoseconds(1'000'000'000LL * i / per_second)) ? 1 : 0;
  }
  return taken;
}

TEST(TokenRate, HoldsAtLeastOneToken) {
  EXPECT_EQ(TokenRate::Of(1, 50).depth, 1);
  EXPECT_EQ(TokenRate::Of(1000, 50).depth, 50);
  EXPECT_EQ(TokenRate::Of(1000, 0).depth, 1);
}

TEST(TokenBucket, RefillsToTheNanosecond) {
  TokenBucket bucket(TokenRate::Of(1, 50));
  EXPECT_TRUE(TryTake(bucket, kFilled));
  EXPECT_FALSE(TryTake(bucket, kFilled));
  EXPECT_FALSE(TryTake(bucket, kFilled + seconds(1) - nanoseconds(1)));
  EXPECT_TRUE(TryTake(bucket, kFilled + seconds(1)));
  EXPECT_FALSE(TryTake(bucket, kFilled + seconds(2) - nanoseconds(1)));
}

TEST(TokenBucket, GivesItsDepthThenItsRate) {
  TokenBucket bucket(TokenRate::Of(1000, 50));
  int burst = 0;
  while (TryTake(bucket, kFilled)) ++burst;
  EXPECT_EQ(burst, 50);
  EXPECT_FALSE(TryTake(bucket, kFilled + milliseconds(1) - nanoseconds(1)));
  EXPECT_TRUE(TryTake(bucket, kFilled + milliseconds(1)));
}

TEST(TokenBucket, KeepsItsRateForAnyFrequencyOfRequests) {
  for (const int asked : {999, 1000, 1001, 2000, 10'000}) {
    TokenBucket bucket(TokenRate::Of(1000, 50));
    EXPECT_NEAR(CountTaken(bucket, kFilled, asked, seconds(10)), std::min(asked, 1000) * 10, 51) << asked;
  }
}

TEST(TokenBucket, KeepsARateOfFractionalNanoseconds) {
  TokenBucket bucket(TokenRate::Of(3000, 0));
  EXPECT_NEAR(CountTaken(bucket, kFilled, 6000, seconds(10)), 30'000, 3);
}

TEST(TokenBucket, GoesIntoDebt) {
  TokenBucket bucket(TokenRate::Of(1e6, 50));  // bytes; it holds 50,000
  EXPECT_TRUE(bucket.HasCredit(kFilled));
  bucket.Take(kFilled, 1'050'000);
  EXPECT_FALSE(bucket.HasCredit(kFilled + seconds(1)));
  EXPECT_TRUE(bucket.HasCredit(kFilled + seconds(1) + nanoseconds(10)));
}

TEST(TokenBucket, LimitsTheDebtOfRefusalsToItsDepth) {
  TokenBucket bucket(TokenRate::Of(100, 100));  // holds 10
  for (int i = 0; i < 1000; ++i) bucket.TakeAtMostDepth(kFilled, 1);
  EXPECT_FALSE(bucket.HasToken(kFilled + milliseconds(109)));
  EXPECT_TRUE(bucket.HasToken(kFilled + milliseconds(110)));
}

TEST(TokenBucket, KeepsItsDebtWhenTheRateChanges) {
  TokenBucket bucket(TokenRate::Of(1000, 50));
  while (TryTake(bucket, kFilled)) {
  }
  bucket.SetRate(kFilled, TokenRate::Of(10, 50));  // a dip: holds one token, and has none
  EXPECT_FALSE(TryTake(bucket, kFilled + milliseconds(99)));
  EXPECT_TRUE(TryTake(bucket, kFilled + milliseconds(100)));
  bucket.SetRate(kFilled + milliseconds(100), TokenRate::Of(1000, 50));  // and back: one of 50 is missing
  EXPECT_TRUE(TryTake(bucket, kFilled + milliseconds(100)));
}

TEST(KeyedBuckets, SeparateNames) {
  KeyedBuckets buckets;
  buckets.SetRate(kFilled, TokenRate::Of(1, 50));
  buckets.Take(kFilled, "a");
  EXPECT_FALSE(buckets.HasToken(kFilled, "a"));
  EXPECT_TRUE(buckets.HasToken(kFilled, "b"));
  EXPECT_TRUE(buckets.HasToken(kFilled + seconds(1), "a"));
}

TEST(KeyedBuckets, HaveNoLimitWithoutARate) {
  KeyedBuckets buckets;
  buckets.Take(kFilled, "a");
  EXPECT_TRUE(buckets.HasToken(kFilled, "a"));
}

TEST(KeyedBuckets, ForgetFullBuckets) {
  KeyedBuckets buckets;
  buckets.SetRate(kFilled, TokenRate::Of(1, 50));
  for (int i = 0; i < 10'000; ++i) buckets.Take(kFilled + milliseconds(10) * i, std::to_string(i));
  EXPECT_LT(buckets.size(), 1100U);
  EXPECT_FALSE(buckets.HasToken(kFilled + milliseconds(99'990), "9999"));
}

}  // namespace
}  // namespace gcsflux::emulator
