#include "base/hide_secret.h"

#include <gtest/gtest.h>

namespace gcsflux::internal {
namespace {

std::string Hidden(std::string text, std::string_view secret) {
  HideSecret(text, secret);
  return text;
}

TEST(HideSecret, LeavesNothingOfIt) {
  EXPECT_EQ(Hidden("got 12345678, 1234567812345678", "12345678"), "got [secret], [secret][secret]");
  EXPECT_EQ(Hidden("other words", "12345678"), "other words");
  EXPECT_EQ(Hidden("[secret]", "[secret]"), "[secret]") << "and comes to an end";
}

TEST(HideSecret, FindsItHoweverItIsWritten) {
  constexpr std::string_view kSecret = R"(ab/c+d"e%41\==)";
  for (const char* written : {R"(ab/c+d"e%41\==)", "ab%2Fc%2Bd%22e%2541%5C%3D%3D", "ab%2fc%2bd%22e%2541%5c%3d%3d",
                              R"(ab/c+d\"e%41\\==)", R"(ab\/c\u002bd\u0022e%41\\\u003D=)", "%61b/c+d%22e%41%5c=%3D"}) {
    const std::string text = written;
    EXPECT_EQ(Hidden("<" + text + "> <" + text, kSecret), "<[secret]> <[secret]") << text;
  }
  EXPECT_EQ(Hidden("key=two+words%20more", "two words more"), "key=[secret]");
  EXPECT_EQ(Hidden("%6", "ABCDEFGHI"), "%6") << "and reads nothing behind the end";
  EXPECT_EQ(Hidden("ab%2Fcdefg%", "ab/cdefg%x"), "ab%2Fcdefg%");
}

TEST(HideSecret, LetsShortOnesStand) {
  EXPECT_EQ(Hidden("a test", "t"), "a test");
  EXPECT_EQ(Hidden("a test", ""), "a test");
}

}  // namespace
}  // namespace gcsflux::internal
