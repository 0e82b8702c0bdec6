#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "retry_policy/figures.h"
#include "retry_policy/scenario.h"

namespace gcsflux::bench {
namespace {

using Calls = std::vector<CallRecord>;

// One call after the other, `rate` a second from `from` to `to`.
void Append(Calls& calls, double rate, double from, double to) {
  const auto count = std::lround((to - from) * rate);
  for (long i = 0; i < count; ++i) {
    const double ended = from + (static_cast<double>(i) + 0.5) / rate;
    calls.push_back({.issued = ended - 0.5 / rate, .ended = ended});
  }
}

Calls Steady(double rate, double seconds) {
  Calls calls;
  Append(calls, rate, 0, seconds);
  return calls;
}

const Scenario kSteady{.name = "steady", .processes = 2, .phases = {{0, 100}}};
const Scenario kDip{.name = "dip", .phases = {{0, 100}, {1.0 / 3, 20}, {2.0 / 3, 100}}};

TEST(RetryPolicyFigures, CompareDeliveredRequestsWithTheQuota) {
  const Figures figures = Evaluate(kSteady, 10, {Steady(40, 10), Steady(40, 10)}, 80);
  EXPECT_DOUBLE_EQ(figures.delivered, 800);
  EXPECT_DOUBLE_EQ(figures.share_of_quota.value(), 0.8);
  EXPECT_DOUBLE_EQ(figures.throttled_per_success, 0.1);
  EXPECT_FALSE(figures.recovery_seconds) << "the quota never changed";
}

TEST(RetryPolicyFigures, SumAChangingQuota) {
  EXPECT_DOUBLE_EQ(kDip.Allowed(60).value(), 20 * 100 + 20 * 20 + 20 * 100);
  EXPECT_FALSE(Scenario({.phases = {{0, {}}}}).Allowed(60));
}

TEST(RetryPolicyFigures, DistinguishEvenFromUnevenShares) {
  EXPECT_DOUBLE_EQ(Evaluate(kSteady, 10, {Steady(40, 10), Steady(40, 10)}, 0).jain_index, 1);
  EXPECT_DOUBLE_EQ(Evaluate(kSteady, 10, {Steady(40, 10), {}}, 0).jain_index, 0.5);
}

TEST(RetryPolicyFigures, CountAnUnfinishedCallAsSlowAndNotDelivered) {
  Calls calls = Steady(10, 10);
  calls.push_back({.issued = 2, .ended = 10, .outcome = CallRecord::Outcome::kUnfinished});
  const Figures figures = Evaluate(kSteady, 10, {calls}, 0);
  EXPECT_DOUBLE_EQ(figures.delivered, 100);
  EXPECT_DOUBLE_EQ(figures.worst_seconds, 8);
  EXPECT_LT(figures.p99_seconds, 0.1) << "one in a hundred";
}

TEST(RetryPolicyFigures, ExcludeCallsThatEndAfterTheRun) {
  Calls calls = Steady(10, 10);
  calls.push_back({.issued = 9.9, .ended = 10.1});
  EXPECT_DOUBLE_EQ(Evaluate(kSteady, 10, {calls}, 0).delivered, 100);
}

TEST(RetryPolicyFigures, CountFailures) {
  const CallRecord failed{.issued = 1, .ended = 2, .outcome = CallRecord::Outcome::kFailed};
  EXPECT_EQ(Evaluate(kSteady, 10, {{failed, failed}}, 0).failed, 2U);
}

TEST(RetryPolicyFigures, FindTheTimeOfRecovery) {
  Calls calls;
  Append(calls, 100, 0, 10);
  Append(calls, 20, 10, 23);  // three seconds too long
  Append(calls, 100, 23, 30);
  const Figures figures = Evaluate(kDip, 30, {calls}, 0);
  EXPECT_NEAR(figures.recovery_seconds.value(), 3, 0.11);
}

TEST(RetryPolicyFigures, NeedMoreThanOneGoodSecondForARecovery) {
  Calls calls;
  Append(calls, 100, 0, 10);
  Append(calls, 20, 10, 20);
  Append(calls, 100, 20, 21);
  Append(calls, 80, 21, 30);
  EXPECT_FALSE(Evaluate(kDip, 30, {calls}, 0).recovery_seconds);
}

TEST(RetryPolicyFigures, CountBySecond) {
  const Figures figures = Evaluate(kSteady, 2, {{{.issued = 0, .ended = 0.5}, {.issued = 0.5, .ended = 1.25}}}, 0);
  ASSERT_EQ(figures.by_second.size(), 2U);
  EXPECT_DOUBLE_EQ(figures.by_second[1].delivered, 1);
  EXPECT_DOUBLE_EQ(figures.by_second[1].worst, 0.75);
}

TEST(RetryPolicyScenarios, NamesTheKnownScenariosOnError) {
  const auto found = FindScenarios({"steady", "flood"}, {});
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().message.find("'flood'"), std::string::npos);
  EXPECT_NE(found.error().message.find("egress"), std::string::npos);
}

}  // namespace
}  // namespace gcsflux::bench
