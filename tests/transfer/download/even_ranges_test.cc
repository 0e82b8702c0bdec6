#include "transfer/download/even_ranges.h"

#include <gtest/gtest.h>

#include <random>

namespace gcsflux::internal {
namespace {

TEST(Stripes, AreAsManyAsNeeded) {
  struct Case {
    std::uint64_t object_bytes;
    std::uint64_t range_bytes;
    std::size_t want;
  };
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  for (const Case& test : {Case{0, 10, 1}, Case{10, 10, 1}, Case{11, 10, 2}, Case{20, 10, 2}, Case{21, 10, 3},
                           Case{1'000, 0, 1}, Case{0, 0, 1}, Case{100'001, 1, 10'000}, Case{kMost, 1, 10'000},
                           Case{kMost, kMost, 1}, Case{kMost, kMost - 1, 2}}) {
    EXPECT_EQ(RangeCount(test.object_bytes, test.range_bytes), test.want)
        << test.object_bytes << " by " << test.range_bytes;
  }
}

TEST(Stripes, CoverTheObjectInOrder) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t object_bytes = random() >> (random() % 60);
    const std::size_t count = RangeCount(object_bytes, 1 + object_bytes / (1 + random() % 100));
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Range range = RangeAt(object_bytes, count, i);
      ASSERT_EQ(range.offset, end) << object_bytes << " by " << count;
      ASSERT_GE(range.length, object_bytes / count);
      ASSERT_LE(range.length, object_bytes / count + 1);
      end += range.length;
    }
    ASSERT_EQ(end, object_bytes);
  }
}

}  // namespace
}  // namespace gcsflux::internal
