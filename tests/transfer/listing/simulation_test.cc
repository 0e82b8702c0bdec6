#include "transfer/listing/simulation.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "transfer/listing/name_sets.h"

// The speed of listings in simulated time, so that the figures are the same on every machine.

namespace gcsflux::internal::listing {

namespace {

class ListingTime : public ::testing::TestWithParam<NameSet> {};

// 40 pages for 8 workers: five rounds of pages; nearly one worker alone fetches the first round, so that with 400 pages
// for 48 workers listings are nearer to the bound. The limit is a tenth above the measured figures.
TEST_P(ListingTime, IsNearTheBound) {
  static const std::map<std::string, double> kTimesTheBound = {
      {"a_hex", 1.6},  {"b_padded", 2.1},    {"c_dated", 1.6},    {"d_classes", 1.65}, {"e_huge", 2.8},
      {"f_utf8", 1.7}, {"g_unpadded", 1.75}, {"h_per_file", 1.6}, {"i_clusters", 3.7}, {"j_timestamps", 2.0}};
  const auto names = GetParam().make(200'000, 1);
  const SimulatedListing listing = Simulate(names, {.max_concurrency = 8});
  EXPECT_EQ(listing.names, names.size());
  EXPECT_LE(listing.seconds / listing.bound, kTimesTheBound.at(GetParam().label));
  EXPECT_LE(listing.calls, 2 * listing.sequential_calls + 8);
}

TEST_P(ListingTime, UsesWorkersInABucketOfFewPages) {
  const auto names = GetParam().make(200'000, 1);
  const SimulatedListing listing = Simulate(names, {.max_concurrency = 48});
  EXPECT_EQ(listing.names, names.size());
  EXPECT_LE(listing.seconds, 0.4 * listing.sequential);
  EXPECT_LE(listing.calls, 2 * listing.sequential_calls + 48);
}

TEST_P(ListingTime, IsNeverLongerThanSequentialForASmallBucket) {
  for (const std::size_t count : {0U, 1U, 10U, 1000U, 4999U, 5000U, 5001U, 10'000U, 12'000U, 20'000U}) {
    const auto names = GetParam().make(count, 1);
    const SimulatedListing listing = Simulate(names, {.max_concurrency = 48});
    EXPECT_EQ(listing.names, names.size());
    EXPECT_LE(listing.seconds, listing.sequential * 1.0001) << count;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ListingTime, ::testing::ValuesIn(CommonNameSets()),
                         [](const auto& tested) { return std::string(tested.param.label); });

TEST(RepeatedListingTime, IsShorterWithSplitPoints) {
  const auto names = UnpaddedCounter(200'000, 1);
  const SimulatedListing first = Simulate(names, {});
  ASSERT_FALSE(first.split_points.empty());
  const SimulatedListing second = Simulate(names, {.split_points = first.split_points});
  EXPECT_EQ(second.names, names.size());
  EXPECT_LE(second.seconds, 0.5 * first.seconds);
}

}  // namespace
}  // namespace gcsflux::internal::listing
