#include "cli/arguments/duration.h"

#include <gtest/gtest.h>

#include "support/fails_with.h"

namespace gcsflux::cli {
namespace {

TEST(ParseDuration, AcceptsNumbersWithUnits) {
  EXPECT_EQ(*ParseDuration("30s"), std::chrono::seconds(30));
  EXPECT_EQ(*ParseDuration("10m"), std::chrono::minutes(10));
  EXPECT_EQ(*ParseDuration("1h"), std::chrono::hours(1));
  EXPECT_EQ(*ParseDuration("2d"), std::chrono::hours(48));
  EXPECT_EQ(*ParseDuration("1h30m"), std::chrono::minutes(90));
  EXPECT_EQ(*ParseDuration("0s"), std::chrono::seconds(0));
}

TEST(ParseDuration, RefusesAnythingElse) {
  for (const char* text :
       {"", "1", "h", "-1h", "1.5h", "1 h", "1h ", "1w", "1h30", "99999999999999999999s", "40000d", "36500d36500d"}) {
    EXPECT_TRUE(testing::FailsWith(ParseDuration(text), ErrorCode::kInvalidArgument)) << text;
  }
}

}  // namespace
}  // namespace gcsflux::cli
