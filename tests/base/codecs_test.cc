// Base64, percent-encoding, RFC 3339 and CRC32C: small pure functions, each against published vectors.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/crc32c.h"
#include "base/text/base64.h"
#include "base/text/percent_encoding.h"
#include "base/text/rfc3339.h"

namespace gcsflux::internal {
namespace {

using std::chrono::sys_days;

TEST(Base64, MatchesRfc4648) {
  const std::pair<std::string, std::string> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(Base64Encode(bytes), text);
    EXPECT_EQ(Base64Decode(text), bytes);
  }
}

TEST(Base64, RefusesMalformedText) {
  for (const char* text : {"Zg", "Zg=", "Z===", "Zm9v!A==", "Zm 9v", "=Zg="}) EXPECT_FALSE(Base64Decode(text)) << text;
}

TEST(Crc32c, MatchesTheCheckValueInPieces) {
  const std::string text = "123456789";
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(ExtendCrc32c(0, bytes), 0xE3069283U);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(ExtendCrc32c(ExtendCrc32c(0, bytes.first(cut)), bytes.subspan(cut)), 0xE3069283U);
  }
  EXPECT_EQ(Crc32cToBase64(0xE3069283U), "4waSgw==");
  EXPECT_EQ(Crc32cFromBase64("4waSgw=="), 0xE3069283U);
  EXPECT_FALSE(Crc32cFromBase64("4waS"));
}

TEST(PercentEncode, LeavesOnlyUnreservedCharacters) {
  EXPECT_EQ(PercentEncode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(PercentEncode("a/b c%+?#&=\xC3\xA9"), "a%2Fb%20c%25%2B%3F%23%26%3D%C3%A9");
}

TEST(ParseRfc3339, ReadsTimesOfGcs) {
  EXPECT_EQ(ParseRfc3339("1970-01-01T00:00:00Z"), std::chrono::system_clock::time_point());
  const auto day = sys_days(std::chrono::year(2026) / 11 / 20);
  EXPECT_EQ(ParseRfc3339("2026-11-20T06:15:01.5Z"),
            day + std::chrono::hours(6) + std::chrono::minutes(15) + std::chrono::milliseconds(1500));
  EXPECT_EQ(
      ParseRfc3339("2024-02-29T23:59:59.123456Z"),
      sys_days(std::chrono::year(2024) / 2 / 29) + std::chrono::seconds(86399) + std::chrono::microseconds(123456));
}

TEST(FormatRfc3339, RoundTrips) {
  const auto time = sys_days(std::chrono::year(2024) / 2 / 29) + std::chrono::milliseconds(86'399'007);
  EXPECT_EQ(FormatRfc3339(time), "2024-02-29T23:59:59.007Z");
  EXPECT_EQ(ParseRfc3339(FormatRfc3339(time)), time);
  EXPECT_EQ(FormatRfc3339(std::chrono::system_clock::time_point(std::chrono::milliseconds(-1))),
            "1969-12-31T23:59:59.999Z");
}

TEST(ParseRfc3339, RefusesMalformedText) {
  for (const char* text :
       {"", "2026-11-20", "2026-11-20T06:15:01", "2026-13-20T06:15:01Z", "2023-02-29T00:00:00Z", "2026-11-20T24:00:00Z",
        "2026-11-20T06:15:01.Z", "2026-11-20 06:15:01Z", "x026-11-20T06:15:01Z", "2026-11-20T06:15:01+01:00"}) {
    EXPECT_FALSE(ParseRfc3339(text)) << text;
  }
}

}  // namespace
}  // namespace gcsflux::internal
