#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <random>

#include "checkpoints/step_store.h"

namespace gcsflux {
namespace {

using internal::StepsToKeep;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using Steps = std::vector<std::int64_t>;

Step At(std::int64_t step, std::chrono::minutes time, double loss) {
  return {.number = step, .time = std::chrono::system_clock::time_point(time), .metrics = {{"loss", loss}}};
}

std::vector<Step> TenSteps() {
  std::vector<Step> steps;
  steps.reserve(10);
  for (int i = 0; i < 10; ++i) steps.push_back(At(std::int64_t{i} * 10, minutes(20 * i), std::abs(i - 4)));
  return steps;
}

TEST(KeepSteps, KeepsAllStepsWithoutARule) { EXPECT_EQ(StepsToKeep(TenSteps(), {}).size(), 10U); }

TEST(KeepSteps, KeepsTheLastSteps) {
  EXPECT_THAT(StepsToKeep(TenSteps(), {.last = 3}), ElementsAre(70, 80, 90));
  EXPECT_EQ(StepsToKeep(TenSteps(), {.last = 30}).size(), 10U);
}

TEST(KeepSteps, AlwaysKeepsTheNewest) {
  EXPECT_THAT(StepsToKeep(TenSteps(), {.last = 0}), ElementsAre(90));
  EXPECT_THAT(StepsToKeep(TenSteps(), {.every = 7}), ElementsAre(0, 70, 90));
  EXPECT_THAT(StepsToKeep({}, {.last = 3}), IsEmpty());
}

TEST(KeepSteps, KeepsTheBestByAMetricAndTheNewerOfEqualOnes) {
  EXPECT_THAT(StepsToKeep(TenSteps(), {.best = 2, .metric = "loss"}), ElementsAre(40, 50, 90));
  EXPECT_THAT(StepsToKeep(TenSteps(), {.best = 1, .metric = "loss", .is_highest_best = true}), ElementsAre(90));
}

TEST(KeepSteps, KeepsAllStepsIfNoneHasTheMetric) {
  EXPECT_EQ(StepsToKeep(TenSteps(), {.last = 1, .best = 1, .metric = "los"}).size(), 10U);
  std::vector<Step> steps = TenSteps();
  steps[3].metrics["accuracy"] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(StepsToKeep(steps, {.best = 1, .metric = "accuracy"}), ElementsAre(90)) << "one step has it";
}

TEST(KeepSteps, IgnoresMetricsThatAreNotNumbers) {
  std::vector<Step> steps = TenSteps();
  steps[2].metrics["loss"] = std::numeric_limits<double>::quiet_NaN();
  for (const bool is_highest_best : {false, true}) {
    const Steps kept = StepsToKeep(steps, {.best = 9, .metric = "loss", .is_highest_best = is_highest_best});
    EXPECT_THAT(kept, ElementsAre(0, 10, 30, 40, 50, 60, 70, 80, 90));
  }
}

TEST(KeepSteps, KeepsTheNewestOfEachHourAndDay) {
  EXPECT_THAT(StepsToKeep(TenSteps(), {.hourly = true}), ElementsAre(20, 50, 80, 90));
  const std::vector<Step> steps = {At(1, hours(2), 0), At(2, hours(23), 0), At(3, hours(24), 0), At(4, hours(-1), 0)};
  EXPECT_THAT(StepsToKeep(steps, {.daily = true}), ElementsAre(2, 3, 4));
}

TEST(KeepSteps, OrdersByStepNumberNotByTime) {
  const std::vector<Step> steps = {At(1, hours(48), 0), At(2, hours(24), 0), At(3, hours(47), 0)};
  EXPECT_THAT(StepsToKeep(steps, {.last = 1}), ElementsAre(3));
}

KeepRules RandomRules(std::mt19937_64& random) {
  KeepRules rules;
  if (random() % 2 == 0) rules.last = random() % 5;
  if (random() % 2 == 0) {
    rules.best = random() % 4;
    rules.metric = "loss";
    rules.is_highest_best = random() % 2 == 0;
  }
  if (random() % 2 == 0) rules.every = 1 + static_cast<std::int64_t>(random() % 7);
  rules.hourly = random() % 4 == 0;
  rules.daily = random() % 4 == 0;
  return rules;
}

std::vector<Step> RandomSteps(std::mt19937_64& random) {
  std::vector<Step> steps;
  for (std::int64_t step = 0; step < 60; ++step) {
    if (random() % 3 != 0) continue;
    steps.push_back(At(step, minutes(random() % 6000), static_cast<double>(random() % 10)));
    if (random() % 5 == 0) steps.back().metrics.clear();
  }
  std::shuffle(steps.begin(), steps.end(), random);
  return steps;
}

// In random histories: the newest step is kept, only existing steps are kept, order does not matter, the result is
// stable, and each rule keeps the same steps as alone.
TEST(KeepSteps, KeepsItsInvariantsInRandomHistories) {
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::vector<Step> steps = RandomSteps(random);
    const KeepRules rules = RandomRules(random);
    const Steps kept = StepsToKeep(steps, rules);
    Steps all;
    for (const Step& step : steps) all.push_back(step.number);
    std::sort(all.begin(), all.end());
    ASSERT_TRUE(std::is_sorted(kept.begin(), kept.end()));
    ASSERT_TRUE(std::includes(all.begin(), all.end(), kept.begin(), kept.end()));
    ASSERT_EQ(kept.empty(), all.empty());
    if (!all.empty()) {
      ASSERT_EQ(kept.back(), all.back());
    }
    std::vector<Step> left;
    for (const Step& step : steps) {
      if (std::binary_search(kept.begin(), kept.end(), step.number)) left.push_back(step);
    }
    std::shuffle(left.begin(), left.end(), random);
    ASSERT_THAT(StepsToKeep(left, rules), ElementsAreArray(kept));
    KeepRules only_best = rules;
    only_best.last = 0;
    only_best.every = {};
    only_best.hourly = only_best.daily = false;
    for (const KeepRules& alone :
         {KeepRules{.last = rules.last.value_or(0)}, only_best, KeepRules{.last = 0, .every = rules.every}}) {
      const Steps by_one = StepsToKeep(steps, alone);
      ASSERT_TRUE(std::includes(kept.begin(), kept.end(), by_one.begin(), by_one.end()));
    }
  }
}

}  // namespace
}  // namespace gcsflux
