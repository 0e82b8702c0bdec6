#include "dataset/permutation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace gcsflux::internal {
namespace {

std::vector<std::uint64_t> AllOf(std::uint64_t count, std::uint64_t seed, std::uint64_t epoch) {
  const Permutation permutation(count, seed, epoch);
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(permutation(i));
  return values;
}

TEST(Permutation, HoldsEachIndexOnce) {
  for (const std::uint64_t count : {1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 1000, 4096, 4097, 100'003}) {
    std::vector<bool> seen(count);
    for (const std::uint64_t value : AllOf(count, /*seed=*/7, /*epoch=*/3)) {
      ASSERT_LT(value, count);
      ASSERT_FALSE(seen[value]) << value << " twice among " << count;
      seen[value] = true;
    }
  }
}

TEST(Permutation, IsTheSameForTheSameKeyAndAnotherForAnother) {
  EXPECT_EQ(AllOf(100, 1, 2), AllOf(100, 1, 2));
  EXPECT_NE(AllOf(100, 1, 2), AllOf(100, 1, 3));
  EXPECT_NE(AllOf(100, 1, 2), AllOf(100, 2, 2));
  EXPECT_NE(AllOf(100, 1, 2), AllOf(100, 2, 1));
}

// A saved cursor means another order where these change.
TEST(Permutation, KeepsItsValuesForEver) {
  EXPECT_EQ(AllOf(10, 1, 0), (std::vector<std::uint64_t>{7, 9, 6, 0, 8, 5, 3, 1, 2, 4}));
}

TEST(Permutation, TakesLargeCounts) {
  const Permutation permutation(std::uint64_t{1} << 40, 1, 0);
  EXPECT_LT(permutation((std::uint64_t{1} << 40) - 1), std::uint64_t{1} << 40);
}

// Where a sample comes is as good as independent of where it stands: chi-square over 10 x 10 cells with 81 degrees of
// freedom, whose 99.99th percentile is 137.
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
