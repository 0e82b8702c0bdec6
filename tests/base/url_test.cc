#include "base/text/url.h"

#include <gtest/gtest.h>

namespace gcsflux::internal {
namespace {

TEST(ParseUrl, SplitsUrls) {
  const auto url = ParseUrl("https://STS.googleapis.com:8443/v1/token?a=b");
  ASSERT_TRUE(url);
  EXPECT_TRUE(url->is_https);
  EXPECT_EQ(url->host, "sts.googleapis.com");
  EXPECT_EQ(url->port, "8443");
  EXPECT_EQ(url->path, "/v1/token?a=b");
  EXPECT_EQ(ParseUrl("http://[::1]:80/x")->host, "[::1]");
  EXPECT_EQ(ParseUrl("http://[::1]:80/x")->port, "80");
  EXPECT_EQ(ParseUrl("http://a?q")->path, "?q");
  EXPECT_EQ(ParseUrl("http://a")->path, "");
}

TEST(ParseUrl, RefusesAmbiguousUrls) {
  for (const char* text : {"",
                           "a",
                           "ftp://a",
                           "http:/a",
                           "HTTP://a",
                           "http://",
                           "http:///a",
                           "http://:80",
                           "http://a:",
                           "http://a:0",
                           "http://a:65536",
                           "http://a:8x",
                           "http://u@a",
                           "http://u:p@a",
                           "http://a b",
                           "http://a/ b",
                           "http://a\\@b",
                           "http://a/\\b",
                           "http://a#f",
                           "http://a/b#f",
                           "http://a\tb",
                           "http://a\r\nHost: b",
                           "http://[::1",
                           "http://[]",
                           "http://[::1]x",
                           "http://[g::1]",
                           "http://a]b",
                           "http://\xC3\xA9.com",
                           "http://a%2eb"}) {
    EXPECT_FALSE(ParseUrl(text)) << text;
  }
}

TEST(IsLoopback, RecognisesLoopbackAddresses) {
  for (const char* here : {"http://localhost", "http://localhost:1/x", "https://127.0.0.1:9", "http://127.1.2.3",
                           "http://[::1]:80", "http://LOCALHOST"}) {
    EXPECT_TRUE(IsLoopback(here)) << here;
  }
  for (const char* there : {"http://localhost.example.com", "http://127.0.0.1.example.com", "http://10.0.0.1",
                            "http://[::2]", "http://127x", "http://127.0.0.1.1", "http://localhost@example.com",
                            "http://example.com#localhost", "localhost"}) {
    EXPECT_FALSE(IsLoopback(there)) << there;
  }
}

}  // namespace
}  // namespace gcsflux::internal
