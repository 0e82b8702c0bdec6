// --virtual_buckets as text.

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "gcsflux/emulator/virtual_bucket.h"

namespace gcsflux::emulator {
namespace {

TEST(ParseVirtualBuckets, ReadsEveryForm) {
  struct Case {
    std::string text;
    VirtualBucket want;
  };
  const std::vector<Case> cases = {
      {"big:20000000:100KiB:a", {.name = "big", .count = 20'000'000, .size_bytes = 102'400}},
      {"big:0:0:b", {.name = "big", .size_bytes = 0, .pattern = NamePattern::kPaddedSequence}},
      {"big:1:5TiB:h:42",
       {.name = "big",
        .count = 1,
        .size_bytes = kMaxVirtualObjectBytes,
        .pattern = NamePattern::kDirectoryPerFile,
        .seed = 42}},
      {"b.ig:1:lognormal(1MiB,1.25):c:18446744073709551615",
       {.name = "b.ig",
        .count = 1,
        .size_bytes = 1 << 20,
        .size_sigma = 1.25,
        .pattern = NamePattern::kDatedDirectories,
        .seed = UINT64_MAX}},
  };
  for (const Case& c : cases) EXPECT_EQ(ParseVirtualBuckets(c.text), std::vector{c.want}) << c.text;
}

TEST(ParseVirtualBuckets, ReadsAList) {
  EXPECT_TRUE(ParseVirtualBuckets("").empty());
  const auto buckets = ParseVirtualBuckets("one:1:lognormal(2GiB,0.5):a,two:2:7:g:1");
  ASSERT_EQ(buckets.size(), 2U);
  EXPECT_EQ(buckets[0].size_bytes, std::uint64_t{2} << 30);
  EXPECT_EQ(buckets[1].name, "two");
  EXPECT_EQ(buckets[1].seed, 1U);
}

TEST(ParseVirtualBuckets, RefusesAsAWholeAndNamesTheField) {
  struct Case {
    std::string text;
    std::string want;
  };
  const std::vector<Case> cases = {
      {",", "name:count:size:pattern[:seed]"},
      {"big", "name:count:size:pattern[:seed]"},
      {"big:1:2", "name:count:size:pattern[:seed]"},
      {"big:1:2:a:4:5", "name:count:size:pattern[:seed]"},
      {"big:1:2:a,", "name:count:size:pattern[:seed]"},
      {":1:2:a", "name: "},
      {"BIG:1:2:a", "name: "},
      {"big::2:a", "count: ''"},
      {"big:x:2:a", "count: 'x'"},
      {"big:-1:2:a", "count: '-1'"},
      {"big:1 :2:a", "count: '1 '"},
      {"big:18446744073709551616:2:a", "count: "},
      {"big:1000000000001:2:a", "count: "},
      {"big:1::a", "size: ''"},
      {"big:1:KiB:a", "size: 'KiB'"},
      {"big:1:2KB:a", "size: '2KB'"},
      {"big:1:2.5MiB:a", "size: '2.5MiB'"},
      {"big:1:6TiB:a", "size: '6TiB'"},
      {"big:1:99999999999999999TiB:a", "size: "},
      {"big:1:lognormal(1KiB):a", "size: 'lognormal(1KiB)'"},
      {"big:1:lognormal(1KiB,x):a", "size: "},
      {"big:1:lognormal(1KiB,1,2):a", "size: "},
      {"big:1:lognormal(,1):a", "size: "},
      {"big:1:lognormal(1KiB,-1):a", "size: "},
      {"big:1:lognormal(1KiB,nan):a", "size: "},
      {"big:1:lognormal(1KiB,inf):a", "size: "},
      {"big:1:lognormal(1KiB,1:a", "name:count:size:pattern[:seed]"},
      {"big:1:2:", "pattern: "},
      {"big:1:2:z", "pattern: "},
      {"big:1:2:ab", "pattern: 'ab'"},
      {"big:1:2:a:", "seed: ''"},
      {"big:1:2:a:-1", "seed: '-1'"},
      {"good:1:2:a,big:x:2:a", "'big:x:2:a': count: "},
      {"big:1:2:a,big:1:2:b", "name: it occurs twice"},
  };
  for (const Case& c : cases) {
    try {
      (void)ParseVirtualBuckets(c.text);
      ADD_FAILURE() << c.text;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(c.want), std::string::npos) << c.text << " gave " << error.what();
    }
  }
}

}  // namespace
}  // namespace gcsflux::emulator
