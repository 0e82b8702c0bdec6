#include "transfer/composition/group_planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace gcsflux::internal {
namespace {

using Permit = BucketPermits::Permit;

// A context with random answers, which counts its calls.
struct RandomContext {
  explicit RandomContext(std::uint32_t seed) : random(seed) {}

  PlanningContext Make() {
    return {.now = [this] { return FetchEstimates::TimePoint(std::chrono::milliseconds(random())); },
            .permit = [this](const std::string&) { return static_cast<Permit>(random() % 3); },
            .estimate =
                [this](const std::string&) {
                  const auto seconds = [this] { return static_cast<double>(random() % 1000) / 1e3; };
                  return FetchEstimates::Estimate{.costs = {.first_byte = seconds(),
                                                            .seconds_per_byte = seconds() / 1e6,
                                                            .compose = seconds(),
                                                            .remove = seconds(),
                                                            .writes_per_second = seconds() * 10},
                                                  .knows_compose = random() % 2 == 0,
                                                  .composing_for = seconds()};
                },
            .check_soon = [this](const std::string&) { ++checks; },
            .probe_soon = [this](std::span<const DownloadSource> sources) { probed += sources.size(); },
            .on_direct = [this] { ++direct; },
            .on_kms_key = [this](const std::string&, const std::string&) { ++kms_keys; }};
  }

  std::mt19937 random;
  std::size_t checks = 0;
  std::size_t probed = 0;
  std::size_t direct = 0;
  std::size_t kms_keys = 0;
};

std::vector<DownloadSource> RandomSources(std::mt19937& random) {
  std::vector<DownloadSource> sources(random() % 500);
  for (DownloadSource& source : sources) {
    source = {.object = {random() % 30 == 0 ? "other" : "bkt", "o"},
              .size = random() % (std::uint64_t{1} << (random() % 30)),
              .generation = random() % 30 == 0 ? 0 : 1,
              .kms_key_name = InternedName(random() % 30 == 0 ? "key" : "")};
  }
  return sources;
}

TEST(GroupPlanner, PlansEachObjectOnceInOrderWithinItsLimits) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto sources = RandomSources(random);
    RandomContext context(seed);
    const auto mode = static_cast<CompositionMode>(random() % 3);
    const PlannerLimits limits{.composite_bytes = std::uint64_t{1} << (random() % 32),
                               .range_bytes = 1 << 20,
                               .connections = [&random] { return std::size_t{1 + random() % 20}; }};
    GroupPlanner planner(context.Make(), mode, limits);
    std::size_t first = 0;
    std::size_t direct = 0;
    while (first < sources.size()) {
      const GroupPlan group = planner.Plan(first, std::span(sources).subspan(first));
      ASSERT_EQ(group.first, first);
      ASSERT_GE(group.count, 1U);
      ASSERT_LE(first + group.count, sources.size());
      std::uint64_t bytes = 0;
      for (std::size_t i = 0; i < group.count; ++i) {
        const DownloadSource& source = sources[first + i];
        bytes += source.size;
        EXPECT_TRUE(group.count == 1 || (source.generation != 0 && source.kms_key_name.empty() &&
                                         source.object.bucket == sources[first].object.bucket));
      }
      EXPECT_LE(group.count, 32U);
      EXPECT_TRUE(group.count == 1 || (bytes <= limits.composite_bytes && group.ranges == 1));
      EXPECT_TRUE(group.count == 1 || mode != CompositionMode::kOff);
      direct += group.count == 1 ? 1 : 0;
      first += group.count;
    }
    EXPECT_EQ(context.direct, direct);
    EXPECT_EQ(context.kms_keys, std::ranges::count(sources, InternedName("key"), &DownloadSource::kms_key_name));
    EXPECT_TRUE(mode == CompositionMode::kAuto || context.checks + context.probed == 0);
  }
}

// A choice of composites holds for all connections, but not after their writes were throttled.
TEST(GroupPlanner, PlansNoMoreCompositesOnceWritesAreThrottled) {
  double writes_per_second = 0;
  const FetchCosts costs{.first_byte = 0.05, .seconds_per_byte = 1e-8, .compose = 0.1, .remove = 0.05};
  const PlanningContext context{.now = [] { return FetchEstimates::TimePoint(); },
                                .permit = [](const std::string&) { return Permit::kYes; },
                                .estimate =
                                    [&](const std::string&) {
                                      FetchEstimates::Estimate estimate{.costs = costs, .knows_compose = true};
                                      estimate.costs.writes_per_second = writes_per_second;
                                      return estimate;
                                    },
                                .check_soon = [](const std::string&) {},
                                .probe_soon = [](std::span<const DownloadSource>) {},
                                .on_direct = [] {},
                                .on_kms_key = [](const std::string&, const std::string&) {}};
  const std::vector<DownloadSource> sources(2000, {.object = {"bkt", "o"}, .size = 100 << 10, .generation = 1});
  GroupPlanner planner(context, CompositionMode::kAuto,
                       {.composite_bytes = 1 << 30, .range_bytes = 1 << 20, .connections = [] { return 16; }});
  const GroupPlan composed = planner.Plan(0, sources);
  EXPECT_GT(composed.count, 1U);
  writes_per_second = 2;
  EXPECT_EQ(planner.Plan(composed.count, std::span(sources).subspan(composed.count)).count, 1U);
}

}  // namespace
}  // namespace gcsflux::internal
