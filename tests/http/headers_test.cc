#include "http/headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gcsflux::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::StrEq;

TEST(Headers, KeepOrderAndRepetitions) {
  const Headers headers = {{"b", "2"}, {"a", "1"}, {"b", "3"}};
  EXPECT_THAT(headers, ElementsAre(Pair("b", "2"), Pair("a", "1"), Pair("b", "3")));
  EXPECT_EQ(FindHeader(headers, "b"), "2") << "the first one counts";
  EXPECT_EQ(FindHeader(headers, "c"), "");
  EXPECT_EQ(headers.back(), Headers::value_type("b", "3"));
}

TEST(Headers, FormatLinesForLibcurl) {
  const Headers headers = {{"Accept", "x"}, {"Empty", ""}, {"Range", "bytes=0-"}};
  EXPECT_THAT(headers.Line(0), StrEq("Accept: x"));
  EXPECT_THAT(headers.Line(1), StrEq("Empty;"));
  EXPECT_THAT(headers.Line(2), StrEq("Range: bytes=0-"));
  EXPECT_THAT(headers, ElementsAre(Pair("Accept", "x"), Pair("Empty", ""), Pair("Range", "bytes=0-")));
}

TEST(Headers, AcceptAnyText) {
  const std::string name("a: b\0c", 6);
  const std::string value("\0: \n", 4);
  Headers headers;
  headers.emplace_back(name, value);
  headers.emplace_back("", "");
  EXPECT_THAT(headers, ElementsAre(Pair(name, value), Pair("", "")));
}

TEST(Headers, JoinPiecesOfAValue) {
  Headers headers = {{"a", "1"}};
  headers.AddJoined("b", {"x", "", "yz"});
  headers.emplace_back("c", "3");
  EXPECT_THAT(headers, ElementsAre(Pair("a", "1"), Pair("b", "xyz"), Pair("c", "3")));
  EXPECT_THAT(headers.Line(1), StrEq("b: xyz"));
}

TEST(Headers, AreCopiedWhole) {
  const Headers headers = {{"a", "1"}, {"b", "2"}};
  Headers copy = headers;
  copy.emplace_back("c", "3");
  EXPECT_THAT(copy, ElementsAre(Pair("a", "1"), Pair("b", "2"), Pair("c", "3")));
  copy = headers;
  EXPECT_EQ(copy, headers);
}

TEST(Headers, LowercaseNames) {
  Headers headers;
  headers.AddInLowerCase("X-Goog-HASH[@Z", "MD5=Q");
  EXPECT_THAT(headers, ElementsAre(Pair("x-goog-hash[@z", "MD5=Q")));
}

// The views that are added point into the text that grows.
TEST(Headers, AppendTheirOwnElements) {
  Headers headers = {{"name", std::string(40, 'v')}};
  for (int i = 0; i < 12; ++i) headers.emplace_back(headers[static_cast<std::size_t>(i)]);
  ASSERT_EQ(headers.size(), 13U);
  for (const auto& header : headers) EXPECT_EQ(header, Headers::value_type("name", std::string(40, 'v')));
}

// Of a text that is short enough to be stored in the string itself.
TEST(Headers, AppendTheirOwnShortElements) {
  Headers headers;
  for (const auto& [name, value] : HeaderList{{"a", "b"}, {"c", "d"}, {"e", "f"}}) headers.emplace_back(name, value);
  headers.emplace_back(headers[0]);
  EXPECT_THAT(headers, ElementsAre(Pair("a", "b"), Pair("c", "d"), Pair("e", "f"), Pair("a", "b")));
}

TEST(Headers, AreEqualIfNamesAndValuesAre) {
  EXPECT_EQ((Headers{{"a", "b"}}), Headers(HeaderList{{"a", "b"}}));
  EXPECT_NE((Headers{{"a", "b"}}), (Headers{{"a", "b"}, {"a", "b"}}));
  EXPECT_NE((Headers{{"a: b", "c"}}), (Headers{{"a", "b: c"}})) << "the same line";
}

TEST(Headers, AreReusableAfterClear) {
  Headers headers = {{"a", "1"}, {"b", "2"}};
  headers.clear();
  EXPECT_TRUE(headers.empty());
  headers.emplace_back("c", "3");
  EXPECT_THAT(headers, ElementsAre(Pair("c", "3")));
}

}  // namespace
}  // namespace gcsflux::internal
