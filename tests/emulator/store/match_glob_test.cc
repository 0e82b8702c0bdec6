// Globs: their matches, their cost, and which texts are not globs.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/listing/glob.h"
#include "support/repeated.h"

namespace gcsflux::emulator {
namespace {

using testing::Repeated;

struct Case {
  std::string pattern;
  std::vector<std::string> matched;
  std::vector<std::string> others;
};

// The first ones are the documentation's own.
const std::vector<Case> kCases = {
    {"foo*bar", {"foobar", "foo123bar"}, {"foo/bar", "foo/baz/bar", "xfoobar", "foobarx"}},
    {"foo**bar", {"foobar", "foo123bar", "foo/bar", "foo/baz/bar"}, {"foo/bar/", "fobar"}},
    {"foo?bar",
     {"fooxbar", "foo-bar",
      "foo\xF0\x9F\x98\x80"  // one character of four bytes
      "bar"},
     {"foobar", "foo/bar", "fooxxbar"}},
    {"b[aeiou]g", {"bag", "beg", "big", "bog", "bug"}, {"bg", "byg", "baeg", "b[aeiou]g"}},
    {"b[a-e]g", {"bag", "bcg", "beg"}, {"bfg", "b-g"}},
    {"[a-cx-z0]", {"a", "c", "y", "0"}, {"d", "w", "1", "-"}},
    {"[-a]", {"-", "a"}, {"b"}},
    {"[a-]", {"-", "a"}, {"b"}},
    {"[\xC3\xA0-\xC3\xA9]", {"\xC3\xA0", "\xC3\xA8"}, {"a", "\xC3\xAA", "\xC3"}},
    {"[!ab]", {"c", "\xC3\xA9"}, {"a", "b", "/", ""}},
    {"[^ab]", {"c"}, {"a", "/"}},
    {"[*?]", {"*", "?"}, {"a", "[*?]"}},
    {"{foo,bar}", {"foo", "bar"}, {"foobar", "{foo,bar}", ""}},
    {"b{1.csv,.txt}", {"b1.csv", "b.txt"}, {"b", "b1.txt"}},
    {"a{,b,c*}d", {"ad", "abd", "acd", "acxxd"}, {"abcd", "ac/d"}},
    {"{a,{b,c}d}e", {"ae", "bde", "cde"}, {"be", "ade", "abde"}},
    {"{*.txt,dir/**}", {"a.txt", ".txt", "dir/", "dir/a/b"}, {"dir", "a/b.txt"}},
    {"*", {"", "a", "abc"}, {"/", "a/b"}},
    {"**", {"", "a", "a/b", "/"}, {}},
    {"***", {"", "a/b/c"}, {}},
    {"**/", {"/", "a/", "a/b/"}, {"", "a", "a/b"}},
    {"a/*/c", {"a/b/c", "a//c"}, {"a/c", "a/b/b/c"}},
    {"", {""}, {"a"}},
    {"plain/name.txt", {"plain/name.txt"}, {"plain/name_txt", "plain/name.txt "}},
    {"a,b}c]", {"a,b}c]"}, {"a", "b"}},
    {"a\\*b\\\\", {"a*b\\"}, {"axb\\", "a\\*b\\\\"}},
    {"*a*a", {"aa", "xaxa", "aaaa"}, {"a", "aab", "a/a"}},
};

TEST(Glob, MatchesWholeNames) {
  for (const Case& c : kCases) {
    const Outcome<Glob> glob = Glob::Parse(c.pattern);
    ASSERT_TRUE(glob) << c.pattern;
    for (const std::string& name : c.matched) EXPECT_TRUE(glob->Matches(name)) << c.pattern << " and " << name;
    for (const std::string& name : c.others) EXPECT_FALSE(glob->Matches(name)) << c.pattern << " and " << name;
  }
}

TEST(Glob, RefusesMalformedPatterns) {
  const std::vector<std::string> malformed = {
      "[", "[a", "[]", "[!]", "[z-a]", "{", "{a", "{a,b", "{a,{b}", "a\\", "{[}]", std::string(1025, 'a'), "\x80*"};
  for (const std::string& pattern : malformed) {
    const Outcome<Glob> glob = Glob::Parse(pattern);
    ASSERT_FALSE(glob) << pattern;
    EXPECT_EQ(glob.error().kind, FailureKind::kInvalid);
  }
}

TEST(Glob, FindsThePrefixOfEveryMatch) {
  const std::vector<std::pair<std::string, std::string>> prefixes = {
      {"a/b*", "a/b"}, {"plain", "plain"}, {"*", ""}, {"a?", "a"}, {"x[ab]", "x"}, {"x{a,b}", "x"}, {"a\\*", "a"}};
  for (const auto& [pattern, prefix] : prefixes) EXPECT_EQ(Glob::Parse(pattern)->literal_prefix(), prefix) << pattern;
}

// A matcher that backtracks would not end here.
TEST(Glob, CostsAtMostPatternTimesName) {
  const std::string name(1024, 'a');
  for (const std::string part : {"*a", "**a", "{a,aa}", "{*,**}a", "{a*,*a}"}) {
    const Outcome<Glob> glob = Glob::Parse(Repeated(part, 100) + "b");
    ASSERT_TRUE(glob) << part;
    EXPECT_FALSE(glob->Matches(name)) << part;
    EXPECT_FALSE(glob->Matches(name + "c")) << part;
  }
  EXPECT_TRUE(Glob::Parse(Repeated("*a", 100))->Matches(name));
}

TEST(Glob, LimitsItsSteps) {
  const std::string name(1024, 'a');
  for (const std::string part : {"*", "**a", "?", "[a-b]", "[!bcdefg]", "{a,}", "{*,**}", "{{{{a,b},c},d},}", "{a*,*a}",
                                 "[abcd]*", "{,,,,,,,}", "\\a"}) {
    const Outcome<Glob> glob = Glob::Parse(Repeated(part, 1024 / part.size()));
    ASSERT_TRUE(glob) << part;
    std::uint64_t steps = 0;
    (void)glob->Matches(name, steps);
    EXPECT_LE(steps, 16U * 1025U * 1025U) << part;
    EXPECT_GT(steps, 1U) << part;
  }
}

TEST(Glob, AcceptsNestedBracesOfAnyDepth) {
  const Outcome<Glob> glob = Glob::Parse(Repeated("{", 200) + "a" + Repeated(",b}", 200));
  ASSERT_TRUE(glob);
  EXPECT_TRUE(glob->Matches("a"));
  EXPECT_TRUE(glob->Matches("b"));
  EXPECT_FALSE(glob->Matches("ab"));
}

}  // namespace
}  // namespace gcsflux::emulator
