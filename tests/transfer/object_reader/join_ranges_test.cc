#include "transfer/object_reader/join_ranges.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace gcsflux::internal {
namespace {

std::vector<Range> RangesOf(const std::vector<JoinedRange>& requests) {
  std::vector<Range> ranges;
  ranges.reserve(requests.size());
  for (const JoinedRange& request : requests) ranges.push_back(request.range);
  return ranges;
}

TEST(JoinRanges, JoinsAdjacentAndNearRanges) {
  std::string room(40, '\0');
  const auto at = [&](std::uint64_t offset, std::size_t from) {
    return RangeRead{offset, std::as_writable_bytes(std::span(room)).subspan(from, 10)};
  };
  EXPECT_EQ(RangesOf(JoinRanges({at(20, 0), at(0, 10), at(10, 20), at(35, 30)}, 5, 100)),
            (std::vector<Range>{{0, 45}}));
  EXPECT_EQ(RangesOf(JoinRanges({at(20, 0), at(0, 10), at(10, 20), at(35, 30)}, 4, 100)),
            (std::vector<Range>{{0, 30}, {35, 10}}));
}

TEST(JoinRanges, NeedsFewRequestsForAThousandNeighbours) {
  std::string room(4'096'000, '\0');
  std::vector<RangeRead> ranges;
  for (std::size_t i = 0; i < 1000; ++i) {
    ranges.push_back({i * 4096, std::as_writable_bytes(std::span(room)).subspan(i * 4096, 4096)});
  }
  EXPECT_EQ(JoinRanges(ranges, 0, 1 << 20).size(), 4U);
}

TEST(JoinRanges, DividesLongRangesEvenly) {
  std::string room(100, '\0');
  const auto requests = JoinRanges({{7, std::as_writable_bytes(std::span(room))}}, 0, 40);
  EXPECT_EQ(RangesOf(requests), (std::vector<Range>{{7, 34}, {41, 34}, {75, 32}}));
}

// Requests without a destination would fetch bytes for nothing.
TEST(JoinRanges, CoversAllRangesByNonEmptyRequests) {
  std::string room(64, '\0');
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    std::minstd_rand random(seed);
    const auto below = [&](std::size_t end) { return random() % end; };
    std::vector<RangeRead> ranges(1 + below(6));
    std::size_t wanted = 0;
    for (RangeRead& range : ranges) {
      range = {below(200), std::as_writable_bytes(std::span(room)).first(1 + below(64))};
      wanted += range.into.size();
    }
    for (const JoinedRange& request : JoinRanges(ranges, below(100), 1 + below(60))) {
      ASSERT_FALSE(request.parts.empty()) << "seed " << seed;
      for (const RangeRead& part : request.parts) {
        ASSERT_FALSE(part.into.empty()) << "seed " << seed;
        wanted -= part.into.size();
      }
    }
    ASSERT_EQ(wanted, 0U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace gcsflux::internal
