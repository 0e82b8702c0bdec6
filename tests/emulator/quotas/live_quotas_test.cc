#include "quotas/live_quotas.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>

namespace gcsflux::emulator {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

class LiveQuotasTest : public ::testing::Test {
 protected:
  LiveQuotasTest() { clock_.Freeze(); }

  QuotaVerdict Read(const std::string& name = "object") { return quotas_.Admit({.bucket = "bucket", .name = name}); }
  QuotaVerdict Write(const std::string& name) {
    return quotas_.Admit({.is_write = true, .mutates_object = true, .bucket = "bucket", .name = name});
  }
  // How many of the reads at that rate, for so long, are served.
  int CountServed(int per_second, milliseconds time) {
    int served = 0;
    const auto reads = per_second * time.count() / 1000;
    for (std::int64_t i = 0; i < reads; ++i) {
      served += Read("object-" + std::to_string(i * 37 % 100)).refused_by ? 0 : 1;
      clock_.Advance(nanoseconds(1'000'000'000 / per_second));
    }
    return served;
  }

  Clock clock_;
  LiveQuotas quotas_{{}, clock_};
};

TEST_F(LiveQuotasTest, AreOffWithoutALimit) {
  EXPECT_FALSE(quotas_.is_on());
  quotas_.Set({.depth_ms = 10, .retry_after_s = 1, .latency_growth_ms = 5});
  EXPECT_FALSE(quotas_.is_on());
  quotas_.Set({.egress_mbps = 1});
  EXPECT_TRUE(quotas_.is_on());
}

TEST_F(LiveQuotasTest, KeepARate) {
  quotas_.Set({.reads_per_second = 1000});
  EXPECT_NEAR(CountServed(3000, seconds(10)), 10'050, 2);
}

TEST_F(LiveQuotasTest, KeepBucketsApart) {
  quotas_.Set({.reads_per_second = 1});
  EXPECT_FALSE(quotas_.Admit({.bucket = "one"}).refused_by);
  EXPECT_EQ(quotas_.Admit({.bucket = "one"}).refused_by, QuotaCause::kReads);
  EXPECT_FALSE(quotas_.Admit({.bucket = "other"}).refused_by);
}

TEST_F(LiveQuotasTest, FollowChangesOfTheRate) {
  quotas_.Set({.reads_per_second = 1000});
  EXPECT_NEAR(CountServed(2000, seconds(5)), 5050, 2);
  quotas_.Set({.reads_per_second = 200});
  EXPECT_NEAR(CountServed(2000, seconds(5)), 1000, 12);
  quotas_.Set({.reads_per_second = 1000});
  EXPECT_NEAR(CountServed(2000, seconds(5)), 5000, 52);
}

TEST_F(LiveQuotasTest, ChargeNothingForRefusals) {
  quotas_.Set({.reads_per_second = 1, .egress_mbps = 1});
  quotas_.ChargeEgress(10'000'000);
  EXPECT_EQ(quotas_.Admit({.sends_media = true, .bucket = "bucket"}).refused_by, QuotaCause::kEgress);
  EXPECT_FALSE(Read().refused_by);
}

TEST_F(LiveQuotasTest, StarveAFloodIfRefusalsCount) {
  quotas_.Set({.reads_per_second = 100, .refused_count = true});
  EXPECT_LT(CountServed(300, seconds(10)),
            10);  // the five that it holds, those that arrived meanwhile, and never again
  clock_.Advance(milliseconds(60));
  EXPECT_FALSE(Read().refused_by);
}

TEST_F(LiveQuotasTest, LimitMutationsOfAnObject) {
  quotas_.Set({.object_mutations_per_second = 1});
  EXPECT_FALSE(Write("a").refused_by);
  EXPECT_EQ(Write("a").refused_by, QuotaCause::kObjectMutations);
  EXPECT_FALSE(Write("b").refused_by);
  clock_.Advance(seconds(1) - nanoseconds(1));
  EXPECT_EQ(Write("a").refused_by, QuotaCause::kObjectMutations);
  clock_.Advance(nanoseconds(1));
  EXPECT_FALSE(Write("a").refused_by);
  EXPECT_FALSE(Read("a").refused_by);
}

TEST_F(LiveQuotasTest, LimitUpdatesOfABucket) {
  quotas_.Set({.writes_per_second = 1, .bucket_updates_per_second = 1});
  EXPECT_FALSE(quotas_.Admit({.is_write = true, .updates_bucket = true, .bucket = "bucket"}).refused_by);
  EXPECT_EQ(quotas_.Admit({.is_write = true, .updates_bucket = true, .bucket = "bucket"}).refused_by,
            QuotaCause::kBucketUpdates);
  EXPECT_FALSE(Write("object").refused_by) << "an update of the bucket is not a write of an object";
}

TEST_F(LiveQuotasTest, RampWithTheirRanges) {
  quotas_.Set({.reads_per_second = 100, .range_reads_per_second = 100, .ramp_speed = 60});
  EXPECT_NEAR(CountServed(300, seconds(20)), 2000, 10);
  EXPECT_EQ(quotas_.counters().ranges.at("bucket"), 1U);
  EXPECT_NEAR(CountServed(300, seconds(20)), 4000, 20);
  EXPECT_EQ(quotas_.counters().ranges.at("bucket"), 2U);
  EXPECT_NEAR(CountServed(300, seconds(10)), 3000, 100);  // each half was still asked for 150: split again
}

TEST_F(LiveQuotasTest, AccelerateOnlyRamps) {
  quotas_.Set({.reads_per_second = 100, .ramp_speed = 60});
  EXPECT_NEAR(CountServed(300, seconds(60)), 6000, 10);
}

TEST_F(LiveQuotasTest, DelayBeforeTheyRefuse) {
  quotas_.Set({.reads_per_second = 1000, .latency_growth_ms = 100});
  const auto delay_at = [&](int per_second) {
    CountServed(per_second, seconds(8));
    const QuotaVerdict verdict = Read();
    EXPECT_FALSE(verdict.refused_by) << per_second;
    return std::chrono::duration<double, std::milli>(verdict.delay).count();
  };
  EXPECT_EQ(delay_at(500), 0);
  EXPECT_NEAR(delay_at(900), 50, 2);
  EXPECT_NEAR(delay_at(980), 90, 2);
}

TEST_F(LiveQuotasTest, CountRefusalsByCause) {
  quotas_.Set({.reads_per_second = 1, .range_writes_per_second = 1});
  for (int i = 0; i < 3; ++i) Read();
  for (int i = 0; i < 5; ++i) Write(std::to_string(i));
  const QuotaCounters counters = quotas_.counters();
  EXPECT_EQ(counters.admitted, 2U);
  EXPECT_EQ(counters.refused_reads, 2U);
  EXPECT_EQ(counters.refused_range_writes, 4U);
  EXPECT_EQ(counters.refused_writes + counters.refused_range_reads + counters.refused_egress, 0U);
}

TEST_F(LiveQuotasTest, RefuseWrongSettingsAsAWhole) {
  quotas_.Set({.reads_per_second = 7});
  EXPECT_THROW(quotas_.Set({.reads_per_second = 8, .writes_per_second = 0}), std::invalid_argument);
  EXPECT_THROW(quotas_.Set({.reads_per_second = 8, .depth_ms = -1}), std::invalid_argument);
  EXPECT_EQ(quotas_.Get(), (Quotas{.reads_per_second = 7}));
}

TEST_F(LiveQuotasTest, ReturnToTheirStartAfterAReset) {
  LiveQuotas quotas({.reads_per_second = 1}, clock_);
  EXPECT_FALSE(quotas.Admit({.bucket = "bucket"}).refused_by);
  EXPECT_TRUE(quotas.Admit({.bucket = "bucket"}).refused_by);
  quotas.Set({.reads_per_second = 5});
  quotas.Reset();
  EXPECT_EQ(quotas.Get().reads_per_second, 1);
  EXPECT_EQ(quotas.counters().refused_reads, 0U);
  EXPECT_FALSE(quotas.Admit({.bucket = "bucket"}).refused_by);
}

}  // namespace
}  // namespace gcsflux::emulator
