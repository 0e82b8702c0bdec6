// Ranks that compare their listings before they begin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gcsflux/listing.h"
#include "sharding/rank_threads.h"
#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;
using testing::OnRanks;

// The results of three ranks, if rank 2 has this listing and the others the first one.
std::vector<Result<void>> Checked(const ListingFingerprint& others, const ListingFingerprint& of_rank_2) {
  return OnRanks<Result<void>>(
      3, [&](Collective& ranks) { return CheckSameListing(ranks, ranks.rank() == 2 ? of_rank_2 : others); });
}

TEST(SameListing, IsConfirmedOnAllRanks) {
  const ListingFingerprint listing{.bucket = "bkt", .prefix = "p\xC3", .count = 7, .hash = 9};
  for (const auto& checked : Checked(listing, listing)) EXPECT_TRUE(checked.ok());
  EXPECT_TRUE(CheckSameListing(*MakeOneProcess(), listing).ok());
}

TEST(SameListing, NamesADifferentRankOnAllRanks) {
  const ListingFingerprint listing{.bucket = "bkt", .prefix = "p/", .count = 7, .hash = 9};
  struct Case {
    ListingFingerprint other;
    const char* words;
  };
  for (const auto& [other, words] : std::vector<Case>{
           {{.bucket = "bkt", .prefix = "p/", .count = 8, .hash = 9}, "gs://bkt/p/ with 8 objects"},
           {{.bucket = "bkt", .prefix = "p/", .count = 7, .hash = 1}, "some have other names or generations"},
           {{.bucket = "bkt", .prefix = "q/", .count = 7, .hash = 9}, "gs://bkt/q/ with 7 objects"},
           {{.bucket = "bkt", .prefix = "q/", .is_partial = true}, "gs://bkt/q/"}}) {
    for (const auto& checked : Checked(listing, other)) {
      const Error error = testing::ErrorOf(checked);
      EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kInvalidArgument,
                                     HasSubstr("rank 0 has gs://bkt/p/ with 7 objects, and rank 2 has")));
      EXPECT_THAT(error.message, HasSubstr(words));
    }
  }
}

TEST(SameListing, ComparesOnlyThePrefixOfARunningListing) {
  const ListingFingerprint listing{.bucket = "bkt", .prefix = "p/", .count = 7, .hash = 9};
  const ListingFingerprint running{.bucket = "bkt", .prefix = "p/", .count = 2, .hash = 1, .is_partial = true};
  for (const auto& checked : Checked(listing, running)) EXPECT_TRUE(checked.ok());
}

}  // namespace
}  // namespace gcsflux
