#include "cli/arguments/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace gcsflux::cli {
namespace {

struct GlobCase {
  const char* pattern;
  const char* text;
  bool matches;
};

TEST(Glob, MatchesAsTheServiceDoes) {
  constexpr GlobCase kCases[] = {
      {"", "", true},
      {"", "a", false},
      {"a", "a", true},
      {"*", "", true},
      {"*", "abc", true},
      {"*", "a/b", false},
      {"**", "a/b", true},
      {"*.txt", "a.txt", true},
      {"*.txt", "a.txt.gz", false},
      {"*.txt", "d/a.txt", false},
      {"**.txt", "d/e/a.txt", true},
      {"**/*.txt", "d/e/a.txt", true},
      {"**/*.txt", "a.txt", false},
      {"d/*/f", "d/e/f", true},
      {"d/*/f", "d/e/e/f", false},
      {"d/**/f", "d/e/e/f", true},
      {"a*b*c", "aXbYbZc", true},
      {"a*b*c", "aXcYb", false},
      {"*/x/**y*", "d/x/e/y/y1", true},
      {"*/x/**y*", "d/x/e/y/z", false},
      {"a?c", "abc", true},
      {"a?c", "a/c", false},
      {"a?c", "ac", false},
      {"?", "\xc3\xa4", true},  // One character, of two bytes.
      {"[\xc3\xa0-\xc3\xbf]", "\xc3\xa4", true},
      {"?", "\xff", true},  // It is not UTF-8.
      {"[a-c]x", "bx", true},
      {"[a-c]x", "dx", false},
      {"[!a-c]x", "dx", true},
      {"[!a-c]", "/", false},
      {"[]]", "]", true},
      {"[a-]", "-", true},
      {"[{]", "{", true},
      {"{a,b}.txt", "b.txt", true},
      {"{a,b}.txt", "c.txt", false},
      {"{a,b{c,d}}*", "bdx", true},
      {"{,x}a", "a", true},
      {"}", "}", true},
  };
  for (const GlobCase& one : kCases) {
    const auto glob = Glob::Parse(one.pattern);
    ASSERT_TRUE(glob.ok()) << one.pattern << ": " << glob.error().message;
    EXPECT_EQ(glob->Matches(one.text), one.matches) << one.pattern << " and " << one.text;
  }
}

TEST(Glob, RefusesWhatIsNotClosedOrMeansTooMuch) {
  std::string bomb;
  for (int i = 0; i < 10; ++i) bomb += "{a,b}";
  for (const std::string& pattern : {std::string("[a"), std::string("{a,b"), std::string("x[]"), bomb}) {
    const auto glob = Glob::Parse(pattern);
    ASSERT_FALSE(glob.ok()) << pattern;
    EXPECT_EQ(glob.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(glob.error().message.find(pattern), std::string::npos) << glob.error().message;
  }
}

TEST(Glob, TakesLinearTimeForManyStars) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  EXPECT_FALSE(Glob::Parse(pattern + "b")->Matches(std::string(1024, 'a')));
  EXPECT_FALSE(Glob::Parse(pattern + "**" + pattern + "b")->Matches(std::string(1024, 'a')));
}

}  // namespace
}  // namespace gcsflux::cli
