#include "base/text/http_date.h"

#include <gtest/gtest.h>

namespace gcsflux::internal {
namespace {

TEST(ParseHttpDate, ReadsTheFormOfServers) {
  using std::chrono::sys_days;
  const auto date = ParseHttpDate("Fri, 20 Nov 2026 06:15:09 GMT");
  ASSERT_TRUE(date.has_value());
  EXPECT_EQ(*date, sys_days(std::chrono::November / 20 / 2026) + std::chrono::hours(6) + std::chrono::minutes(15) +
                       std::chrono::seconds(9));
  EXPECT_EQ(ParseHttpDate("Tue, 29 Feb 2028 00:00:00 GMT"), sys_days(std::chrono::February / 29 / 2028));
}

TEST(ParseHttpDate, RefusesOtherForms) {
  for (const char* text :
       {"", "Fri, 20 Nov 2026 06:15:09", "Fri, 20 Nov 2026 06:15:09 UTC", "Fri, 20 Nov 26 06:15:09 GMT",
        "Fri, 20 ovD 2026 06:15:09 GMT", "Fri, 31 Nov 2026 06:15:09 GMT", "Fri, 20 Nov 2026 24:15:09 GMT",
        "Fri, 20 Nov 2026 06:60:09 GMT", "Fri, 2x Nov 2026 06:15:09 GMT", "Friday, 20-Nov-26 06:15:09 GMT",
        "Fri Nov 20 06:15:09 2026", "Fri, 20 Nov 2026 06:15:09 GMT "}) {
    EXPECT_FALSE(ParseHttpDate(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace gcsflux::internal
