#include "dataset/shuffle_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace gcsflux::internal {
namespace {

std::vector<std::size_t> DrawAll(std::uint64_t capacity, std::size_t count, std::uint64_t seed = 1,
                                 std::uint64_t epoch = 0) {
  ShuffleBuffer buffer(capacity, seed, epoch);
  std::vector<std::size_t> drawn(count);
  for (auto& index : drawn) index = buffer.Draw(count);
  return drawn;
}

TEST(ShuffleBuffer, DrawsEachIndexOnce) {
  for (const std::uint64_t capacity : {1U, 2U, 10U, 1000U}) {
    for (const std::size_t count : {1U, 2U, 9U, 10U, 11U, 100U}) {
      auto drawn = DrawAll(capacity, count);
      std::ranges::sort(drawn);
      std::vector<std::size_t> all(count);
      std::iota(all.begin(), all.end(), 0U);
      EXPECT_EQ(drawn, all) << capacity << " of " << count;
    }
  }
}

TEST(ShuffleBuffer, DoesNotDependOnHowIndicesArrive) {
  const auto at_once = DrawAll(10, 100);
  ShuffleBuffer buffer(10, 1, 0);
  std::vector<std::size_t> as_they_come;
  for (std::size_t known = 1; known <= 100; ++known) {
    while (known >= buffer.NeededFor(buffer.drawn() + 1)) as_they_come.push_back(buffer.Draw(known));
  }
  while (as_they_come.size() < 100) as_they_come.push_back(buffer.Draw(100));
  EXPECT_EQ(as_they_come, at_once);
}

TEST(ShuffleBuffer, DependsOnEpochAndSeed) {
  EXPECT_NE(DrawAll(10, 100, 1, 0), DrawAll(10, 100, 1, 1));
  EXPECT_NE(DrawAll(10, 100, 1, 0), DrawAll(10, 100, 2, 0));
  EXPECT_NE(DrawAll(10, 100, 2, 1), DrawAll(10, 100, 1, 2));
}

TEST(ShuffleBuffer, MovesSamplesByAboutTheBuffersSize) {
  const auto drawn = DrawAll(100, 10'000);
  double moved = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    EXPECT_LE(drawn[i], i + 99) << "nothing is drawn that was not seen";
    moved += std::abs(static_cast<double>(drawn[i]) - static_cast<double>(i)) / 10'000.0;
  }
  EXPECT_GT(moved, 50);
  EXPECT_LT(moved, 150);
}

}  // namespace
}  // namespace gcsflux::internal
