#include "transfer/listing/code_points.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace gcsflux::internal::listing {
namespace {

TEST(CodePoints, RoundTrip) {
  for (const char32_t code : {0U, 1U, 0x7FU, 0x80U, 0x7FFU, 0x800U, 0xD7FFU, 0xE000U, 0xFFFFU, 0x10000U, 0x10FFFFU}) {
    std::string text;
    AppendCodePoint(text, code);
    std::string_view rest = text;
    EXPECT_EQ(TakeCodePoint(rest), code);
    EXPECT_TRUE(rest.empty());
  }
}

TEST(CodePoints, AreReplacedInMalformedText) {
  for (std::string_view text : {"\x80", "\xC3", "\xE2\x82", "\xFF\xBF\xBF\xBF"}) {
    EXPECT_EQ(TakeCodePoint(text), U'\xFFFD');
    EXPECT_TRUE(text.empty());
  }
}

TEST(EndOfPrefix, IsTheLeastKeyAfterThePrefix) {
  EXPECT_EQ(EndOfPrefix(""), "");
  EXPECT_EQ(EndOfPrefix("a/"), "a0");
  EXPECT_EQ(EndOfPrefix("a\x7F"), "a\u0080");
  EXPECT_EQ(EndOfPrefix("a\uD7FF"), "a\uE000");  // no surrogates: they are not UTF-8
  EXPECT_EQ(EndOfPrefix("a\uFFFF"), "a\U00010000");
  EXPECT_EQ(EndOfPrefix("a\U0010FFFF"), "b");
  EXPECT_EQ(EndOfPrefix("\U0010FFFF\U0010FFFF"), "");
}

TEST(CommonPrefix, EndsWithAWholeCharacter) {
  EXPECT_EQ(CommonPrefix("abc", "abd"), 2U);
  EXPECT_EQ(CommonPrefix("ab", "abd"), 2U);
  EXPECT_EQ(CommonPrefix("a\u00E9", "a\u00E8"), 1U);  // they share the first byte of two
  EXPECT_EQ(CommonPrefix("", "a"), 0U);
}

TEST(DirectoryOf, EndsWithTheLastSlash) {
  EXPECT_EQ(DirectoryOf("a/b/c"), "a/b/");
  EXPECT_EQ(DirectoryOf("a/"), "a/");
  EXPECT_EQ(DirectoryOf("a"), "");
}

}  // namespace
}  // namespace gcsflux::internal::listing
