#include "http/target.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gcsflux::emulator {
namespace {

TEST(ParseTarget, SplitsBeforeItDecodes) {
  struct Case {
    const char* raw;
    std::vector<std::string> segments;
  };
  const std::vector<Case> cases = {
      {"/", {""}},
      {"/storage/v1/b", {"storage", "v1", "b"}},
      {"/b/a%2Fb", {"b", "a/b"}},
      {"/b/a%2fb%3Fc%23d%25", {"b", "a/b?c#d%"}},
      {"/b//c/", {"b", "", "c", ""}},
      {"/b/a+b", {"b", "a+b"}},
      {"http://host:1/b/c?d", {"b", "c"}},
      {"http://host", {""}},
  };
  for (const Case& c : cases) {
    const auto target = ParseTarget(c.raw);
    ASSERT_TRUE(target) << c.raw;
    EXPECT_EQ(target->segments, c.segments) << c.raw;
  }
}

TEST(ParseTarget, DecodesTheQueryAsForms) {
  const auto target = ParseTarget("/?prefix=a%2Fb+c&empty=&flag&prefix=second&x=1=2&&q=a?b");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->query.Value("prefix"), "a/b c");
  EXPECT_EQ(target->query.Optional("empty"), "");
  EXPECT_EQ(target->query.Optional("flag"), "");
  EXPECT_EQ(target->query.Optional("none"), std::nullopt);
  EXPECT_EQ(target->query.Value("x"), "1=2");
  EXPECT_EQ(target->query.Value("q"), "a?b");
}

TEST(ParseTarget, RefusesInvalidEncodings) {
  for (const char* raw : {"/b/%", "/b/%4", "/b/%zz", "/b/%FF", "/b/%C3", "/?a=%", "/?%GG=1", "/?a=%ED%A0%80"}) {
    const auto target = ParseTarget(raw);
    ASSERT_FALSE(target) << raw;
    EXPECT_EQ(target.error().status, 400) << raw;
  }
}

TEST(EncodeSegment, RoundTripsThroughParseTarget) {
  const std::string text = "a/b?c#d%e f+g&\xC3\xA9\x01~_-.";
  const auto target = ParseTarget("/" + EncodeSegment(text));
  ASSERT_TRUE(target);
  EXPECT_EQ(target->segments, std::vector<std::string>{text});
}

}  // namespace
}  // namespace gcsflux::emulator
