// The pure parsers of headers, by tables.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "api/page_token.h"
#include "bodies/gunzip.h"
#include "http/byte_range.h"
#include "http/content_range.h"

namespace gcsflux::emulator {
namespace {

TEST(ParseRange, ReadsEveryForm) {
  using Kind = RangeRequest::Kind;
  struct Case {
    std::string header;
    std::uint64_t size;
    Kind kind;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
  };
  const std::vector<Case> cases = {
      {"bytes=0-0", 10, Kind::kPart, 0, 1},
      {"bytes=2-5", 10, Kind::kPart, 2, 4},
      {"bytes=0-9", 10, Kind::kPart, 0, 10},
      {"bytes=5-", 10, Kind::kPart, 5, 5},
      {"bytes=9-", 10, Kind::kPart, 9, 1},
      {"bytes=5-10", 10, Kind::kPart, 5, 5},
      {"bytes=0-99999999999999999999999", 10, Kind::kPart, 0, 10},
      {"bytes=0-18446744073709551615", 10, Kind::kPart, 0, 10},
      {"bytes=-3", 10, Kind::kPart, 7, 3},
      {"bytes=-10", 10, Kind::kPart, 0, 10},
      {"bytes=-11", 10, Kind::kPart, 0, 10},
      {"bytes=-99999999999999999999999", 10, Kind::kPart, 0, 10},
      {"bytes=10-", 10, Kind::kUnsatisfiable},
      {"bytes=10-20", 10, Kind::kUnsatisfiable},
      {"bytes=99999999999999999999999-", 10, Kind::kUnsatisfiable},
      {"bytes=-0", 10, Kind::kUnsatisfiable},
      {"bytes=0-", 0, Kind::kUnsatisfiable},
      {"bytes=-5", 0, Kind::kUnsatisfiable},
      {"", 10, Kind::kWhole},
      {"bytes=", 10, Kind::kWhole},
      {"bytes=-", 10, Kind::kWhole},
      {"bytes=5", 10, Kind::kWhole},
      {"bytes=5-2", 10, Kind::kWhole},
      {"bytes=a-b", 10, Kind::kWhole},
      {"bytes= 1-2", 10, Kind::kWhole},
      {"bytes=1-2x", 10, Kind::kWhole},
      {"bytes=+1-2", 10, Kind::kWhole},
      {"bytes=--1", 10, Kind::kWhole},
      {"bytes=0-1,3-4", 10, Kind::kWhole},
      {"items=0-1", 10, Kind::kWhole},
  };
  for (const Case& c : cases) {
    const RangeRequest got = ParseRange(c.header, c.size);
    EXPECT_EQ(std::tuple(got.kind, got.offset, got.length), std::tuple(c.kind, c.offset, c.length))
        << c.header << " of " << c.size;
  }
}

TEST(ParseContentRange, ReadsTheFormsOfClients) {
  const auto chunk = ParseContentRange("bytes 0-262143/*");
  ASSERT_TRUE(chunk && chunk->bytes);
  EXPECT_EQ(chunk->bytes->last, 262143U);
  EXPECT_EQ(chunk->total, std::nullopt);
  const auto last = ParseContentRange("bytes 5-9/10");
  ASSERT_TRUE(last && last->bytes);
  EXPECT_EQ(last->bytes->first, 5U);
  EXPECT_EQ(last->total, 10U);
  const auto question = ParseContentRange("bytes */*");
  ASSERT_TRUE(question);
  EXPECT_FALSE(question->bytes || question->total);
  const auto end = ParseContentRange("bytes */0");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->total, 0U);
  for (const char* header : {"bytes 0-*/*", "bytes 0-*/0", "bytes 7-*/9"}) {
    const auto rest = ParseContentRange(header);
    ASSERT_TRUE(rest && rest->bytes) << header;
    EXPECT_EQ(rest->bytes->last, std::nullopt) << header;
  }
}

TEST(ParseContentRange, RefusesOtherForms) {
  for (const char* header :
       {"", "bytes", "bytes ", "bytes 0-1", "bytes 0-1/", "bytes /5", "bytes 1-0/5", "bytes 0-5/5", "bytes 0-/5",
        "bytes -1/5", "bytes a-b/5", "bytes 0-1/x", "bytes=0-1/5", "items 0-1/5", "bytes 0-1/5 ", "bytes *-1/5",
        "bytes 6-*/5", "bytes 0-18446744073709551616/*", "bytes +0-1/5"}) {
    EXPECT_FALSE(ParseContentRange(header)) << header;
  }
}

TEST(PageToken, RoundTrips) {
  for (const ListPosition& position :
       {ListPosition{false, "a"}, ListPosition{true, "dir/"}, ListPosition{false, "\xC3\xA9?&=+ %"},
        ListPosition{false, "a/b", 1'795'162'846'924'674}, ListPosition{false, "/", 0}}) {
    const std::string token = EncodePageToken(position);
    EXPECT_EQ(token.find_first_of("+/=&%"), std::string::npos) << token;
    EXPECT_EQ(DecodePageToken(token), position) << token;
  }
}

TEST(PageToken, RefusesForeignTokens) {
  // From the sixth on: no text, another kind, text that is not UTF-8; then generations without a slash, without a name,
  // without digits, with others, with too many.
  for (const char* token : {"", "x", "!!!!", "bm9u=", "a+b/", "bg", "eGFh", "bv8", "ZzEyYQ", "ZzEyLw", "Zy9h", "Z3gvYQ",
                            "Zzk5OTk5OTk5OTk5OTk5OTk5OTk5L2E"}) {
    EXPECT_EQ(DecodePageToken(token), std::nullopt) << token;
  }
}

TEST(AcceptsGzip, ReadsTheHeader) {
  for (const char* header : {"gzip", "deflate, gzip", "gzip;q=0.5, br", "br , gzip ; q=1", "gzip;q=0.001"}) {
    EXPECT_TRUE(AcceptsGzip(header)) << header;
  }
  for (const char* header : {"", "identity", "deflate, br", "gzip;q=0", "gzip;q=0.000", "xgzip", "gzipped"}) {
    EXPECT_FALSE(AcceptsGzip(header)) << header;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
