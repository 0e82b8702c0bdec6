#include "transfer/read/range_checksums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

#include "base/crc32c.h"
#include "gcsflux/client.h"

namespace gcsflux::internal {
namespace {

std::uint32_t ChecksumOf(std::string_view bytes) { return ExtendCrc32c(0, AsBytes(bytes)); }

TEST(RangeChecksums, ClaimsOnlyUnclaimedRanges) {
  RangeChecksums checksums;
  EXPECT_EQ(checksums.Claim({10, 10}), (std::vector<Range>{{10, 10}}));
  EXPECT_EQ(checksums.Claim({0, 30}), (std::vector<Range>{{0, 10}, {20, 10}}));
  EXPECT_TRUE(checksums.Claim({5, 20}).empty());
}

TEST(RangeChecksums, ReleasesMissingRanges) {
  RangeChecksums checksums;
  static_cast<void>(checksums.Claim({0, 10}));
  checksums.Settle({0, 10}, 4, ChecksumOf("0123"));
  EXPECT_FALSE(checksums.is_claimed());
  EXPECT_EQ(checksums.Whole(4), ChecksumOf("0123"));
  EXPECT_EQ(checksums.Whole(10), std::nullopt);
  EXPECT_EQ(checksums.Claim({0, 10}), (std::vector<Range>{{4, 6}}));
}

TEST(RangeChecksums, GivesTheEmptyChecksumForAnEmptyObject) { EXPECT_EQ(RangeChecksums().Whole(0), ChecksumOf("")); }

TEST(RangeChecksums, CombinesInAnyOrder) {
  const std::string text = "All bytes of the object, in whatever order they come.";
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    RangeChecksums checksums;
    std::vector<Range> open;
    while (!checksums.Whole(text.size())) {
      const std::uint64_t offset = random() % text.size();
      for (const Range& claim : checksums.Claim({offset, 1 + random() % (text.size() - offset)})) open.push_back(claim);
      if (open.empty()) continue;
      std::swap(open.back(), open[random() % open.size()]);
      const std::uint64_t came = random() % (open.back().length + 1);
      checksums.Settle(open.back(), came, ChecksumOf(std::string_view(text).substr(open.back().offset, came)));
      open.pop_back();
    }
    EXPECT_EQ(checksums.Whole(text.size()), ChecksumOf(text)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace gcsflux::internal
