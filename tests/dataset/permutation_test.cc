#include "dataset/permutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "dataset/shuffle_buffer.h"
#include "gcsflux/epoch.h"

namespace gcsflux::internal {
namespace {

std::vector<std::uint64_t> AllOf(std::uint64_t count, std::uint64_t seed, std::uint64_t epoch) {
  const Permutation permutation(count, seed, epoch);
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(permutation(i));
  return values;
}

TEST(Permutation, ContainsEachIndexOnce) {
  for (const std::uint64_t count : {1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 1000, 4095, 4096, 4097, 5000, 100'003}) {
    std::vector<bool> seen(count);
    for (const std::uint64_t value : AllOf(count, /*seed=*/7, /*epoch=*/3)) {
      ASSERT_LT(value, count);
      ASSERT_FALSE(seen[value]) << value << " twice among " << count;
      seen[value] = true;
    }
  }
}

TEST(Permutation, DependsOnItsKeyOnly) {
  EXPECT_EQ(AllOf(100, 1, 2), AllOf(100, 1, 2));
  EXPECT_NE(AllOf(100, 1, 2), AllOf(100, 1, 3));
  EXPECT_NE(AllOf(100, 1, 2), AllOf(100, 2, 2));
  EXPECT_NE(AllOf(100, 1, 2), AllOf(100, 2, 1));
}

// If these change, a saved cursor means another order.
TEST(Permutation, KeepsItsPublishedValues) {
  EXPECT_EQ(AllOf(10, 1, 0), (std::vector<std::uint64_t>{1, 7, 2, 5, 0, 4, 9, 8, 3, 6}));
}

TEST(Permutation, AcceptsLargeCounts) {
  const Permutation permutation(std::uint64_t{1} << 40, 1, 0);
  EXPECT_LT(permutation((std::uint64_t{1} << 40) - 1), std::uint64_t{1} << 40);
}

// Above kMostListed, values are computed one by one.
TEST(Permutation, KeepsItsPublishedValuesForManySamples) {
  const Permutation permutation(5000, 1, 0);
  std::vector<std::uint64_t> first;
  for (std::uint64_t i = 0; i < 5; ++i) first.push_back(permutation(i));
  EXPECT_EQ(first, (std::vector<std::uint64_t>{809, 4417, 3669, 1150, 2746}));
}

/// Chi-square of the drawn frequencies against equal ones, minus its degrees of freedom, in standard deviations.
double Excess(const std::vector<double>& frequencies) {
  double total = 0;
  for (const double frequency : frequencies) total += frequency;
  const double want = total / static_cast<double>(frequencies.size());
  double chi_square = 0;
  for (const double frequency : frequencies) chi_square += std::pow(frequency - want, 2) / want;
  const auto freedom = static_cast<double>(frequencies.size() - 1);
  return (chi_square - freedom) / std::sqrt(2 * freedom);
}

enum class Vary { kSeed, kEpoch };

std::vector<std::uint64_t> OrderOf(SampleOrder order, std::uint64_t count, Vary vary, std::uint64_t i) {
  const std::uint64_t seed = vary == Vary::kSeed ? i : 7;
  const std::uint64_t epoch = vary == Vary::kEpoch ? i : 0;
  if (order == SampleOrder::kShuffled) return AllOf(count, seed, epoch);
  std::vector<std::uint64_t> values;
  ShuffleBuffer buffer(count, seed, epoch);
  for (std::uint64_t draw = 0; draw < count; ++draw) values.push_back(buffer.Draw(static_cast<std::size_t>(count)));
  return values;
}

class FrequenciesTest : public ::testing::TestWithParam<std::tuple<SampleOrder, Vary>> {};

// Each of the orders of up to 6 samples.
TEST_P(FrequenciesTest, AreEqualForAllOrders) {
  const auto [order, vary] = GetParam();
  std::uint64_t orders = 1;
  for (std::uint64_t count = 2; count <= 6; ++count) {
    orders *= count;
    std::map<std::vector<std::uint64_t>, double> frequencies;
    for (std::uint64_t i = 0; i < orders * 200; ++i) frequencies[OrderOf(order, count, vary, i)] += 1;
    ASSERT_EQ(frequencies.size(), orders) << count << " samples";
    std::vector<double> all;
    for (const auto& [values, frequency] : frequencies) all.push_back(frequency);
    EXPECT_LT(Excess(all), 5) << count << " samples";
  }
}

// Each sample at each place, and each sample after each other one; of many samples, in groups.
TEST_P(FrequenciesTest, AreEqualForPlacesAndNeighbours) {
  const auto [order, vary] = GetParam();
  struct Case {
    std::uint64_t count;
    std::uint64_t groups;  // Divides `count`.
  };
  for (const auto& [count, groups] :
       std::vector<Case>{{7, 7}, {16, 16}, {17, 17}, {100, 10}, {1000, 10}, {4096, 16}, {4097, 17}, {5000, 10}}) {
    const bool is_small = count == groups;
    std::vector<double> places(groups * groups);
    std::vector<double> pairs(groups * groups);
    for (int i = 0; i < (is_small ? 4000 : 50); ++i) {
      const auto values = OrderOf(order, count, vary, static_cast<std::uint64_t>(i));
      for (std::uint64_t place = 0; place < count; ++place) {
        places[place % groups * groups + values[place] % groups] += 1;
        if (place > 0) pairs[values[place - 1] % groups * groups + values[place] % groups] += 1;
      }
    }
    EXPECT_LT(Excess(places), 5) << count << " samples";
    if (is_small) std::erase(pairs, 0);  // No sample follows itself.
    EXPECT_EQ(pairs.size(), is_small ? count * (count - 1) : groups * groups);
    EXPECT_LT(Excess(pairs), is_small ? 5 : 20) << count << " samples";
  }
}

INSTANTIATE_TEST_SUITE_P(Each, FrequenciesTest,
                         ::testing::Combine(::testing::Values(SampleOrder::kShuffled, SampleOrder::kBuffered),
                                            ::testing::Values(Vary::kSeed, Vary::kEpoch)));

// A sample's new place is nearly independent of its old one: chi-square over 10 x 10 cells with 81 degrees of freedom,
// whose 99.99th percentile is 137.
TEST(Permutation, SpreadsNeighboursOverTheEpoch) {
  constexpr std::uint64_t kCount = 10'000;
  constexpr std::uint64_t kCells = 10;
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
    std::vector<double> cells(kCells * kCells);
    const auto values = AllOf(kCount, 11, epoch);
    for (std::uint64_t i = 0; i < kCount; ++i) cells[i * kCells / kCount * kCells + values[i] * kCells / kCount] += 1;
    double chi_square = 0;
    for (const double cell : cells) chi_square += std::pow(cell - 100.0, 2) / 100.0;
    EXPECT_LT(chi_square, 137) << "epoch " << epoch;
  }
}

}  // namespace
}  // namespace gcsflux::internal
