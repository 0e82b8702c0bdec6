#include "events/shown_url.h"

#include <gtest/gtest.h>

namespace gcsflux::internal {
namespace {

TEST(ShownUrl, ShowsUrlsWithoutSecrets) {
  for (const char* url : {"https://h/storage/v1/b/x/o/a%2Fb?alt=media&generation=7", "https://h", "https://h/p?",
                          "https://h/p?pageToken=abc&x", ""}) {
    EXPECT_EQ(ShownUrl(url, false), url);
  }
}

TEST(ShownUrl, HidesTheValuesOfSecrets) {
  EXPECT_EQ(ShownUrl("https://h/o?uploadType=resumable&upload_id=ABC&name=x", false),
            "https://h/o?uploadType=resumable&upload_id=[secret]&name=x");
  EXPECT_EQ(ShownUrl("https://h/o?X-Goog-Date=1&X-Goog-Signature=0f1e", false),
            "https://h/o?X-Goog-Date=1&X-Goog-Signature=[secret]");
  EXPECT_EQ(ShownUrl("https://h/o?access_token=a=b&KEY=c", false), "https://h/o?access_token=[secret]&KEY=[secret]");
}

TEST(ShownUrl, ShowsOnlyTheHostOfASecretUrl) {
  EXPECT_EQ(ShownUrl("https://h:8443/upload/SECRET?x=SECRET", true), "https://h:8443/[secret]");
  EXPECT_EQ(ShownUrl("http://h?upload_id=SECRET", true), "http://h/[secret]");
  EXPECT_EQ(ShownUrl("SECRET", true), "/[secret]");
}

}  // namespace
}  // namespace gcsflux::internal
