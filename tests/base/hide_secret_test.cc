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

TEST(HideSecret, LetsShortOnesStand) {
  EXPECT_EQ(Hidden("a test", "t"), "a test");
  EXPECT_EQ(Hidden("a test", ""), "a test");
}

}  // namespace
}  // namespace gcsflux::internal
