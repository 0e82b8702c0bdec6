#include "base/text/nearest_name.h"

#include <gtest/gtest.h>

namespace gcsflux::internal {
namespace {

TEST(EditDistance, CountsLettersThatDiffer) {
  EXPECT_EQ(EditDistance("", ""), 0U);
  EXPECT_EQ(EditDistance("", "abc"), 3U);
  EXPECT_EQ(EditDistance("sync", "sync"), 0U);
  EXPECT_EQ(EditDistance("snyc", "sync"), 1U) << "neighbours are exchanged";
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3U);
}

TEST(NearestName, IsWhatWasProbablyMeant) {
  const std::vector<std::string> names = {"cp", "rm", "sync", "stat", "recursive", "project", "progress"};
  EXPECT_EQ(NearestName("recursve", names), "recursive");
  EXPECT_EQ(NearestName("rec", names), "recursive") << "the only one that begins so";
  EXPECT_EQ(NearestName("pro", names), "") << "two begin so";
  EXPECT_EQ(NearestName("cpp", names), "cp");
  EXPECT_EQ(NearestName("x", names), "");
  EXPECT_EQ(NearestName("", names), "");
  EXPECT_EQ(NearestName(std::string(1'000'000, 'a'), names), "");
}

}  // namespace
}  // namespace gcsflux::internal
