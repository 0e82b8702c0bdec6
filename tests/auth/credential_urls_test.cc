#include "auth/credential_urls.h"

#include <gtest/gtest.h>

namespace gcsflux::internal {
namespace {

TEST(IsTokenUrl, AcceptsGoogleOverHttpsAndLoopback) {
  for (const char* good :
       {"https://oauth2.googleapis.com/token", "https://www.googleapis.com/oauth2/v4/token",
        "https://accounts.google.com/o/oauth2/token", "http://127.0.0.1:9/token", "https://localhost:9/token"}) {
    EXPECT_TRUE(IsTokenUrl(good)) << good;
  }
  for (const char* bad :
       {"http://oauth2.googleapis.com/token", "https://example.com/token", "https://googleapis.com.example.com/token",
        "https://evilgoogleapis.com/token", "https://oauth2.googleapis.com@example.com/token",
        "https://example.com\\.googleapis.com/", "https://oauth2.googleapis.com:444/token", "http://10.0.0.1/token",
        "https://accounts.google.com.example.com/", "https://mail.google.com/"}) {
    EXPECT_FALSE(IsTokenUrl(bad)) << bad;
  }
}

TEST(IsStsUrl, AcceptsRegionalHosts) {
  for (const char* good :
       {"https://sts.googleapis.com/v1/token", "https://sts.us-east-1.googleapis.com/v1/token",
        "https://us-east-1.sts.googleapis.com/v1/token", "https://us-east-1-sts.googleapis.com/v1/token",
        "https://sts-psc.p.googleapis.com/v1/token", "https://127.0.0.1:9/v1/token"}) {
    EXPECT_TRUE(IsStsUrl(good)) << good;
  }
  for (const char* bad :
       {"http://sts.googleapis.com/v1/token", "https://storage.googleapis.com/upload", "https://sts.example.com/",
        "https://sts.googleapis.com.example.com/", "https://a.b.sts.googleapis.com/", "https://xsts.googleapis.com/",
        "https://sts.p.evil.com/", "https://-sts.googleapis.com/", "https://.sts.googleapis.com/",
        "https://sts..googleapis.com/", "https://oauth2.googleapis.com/token"}) {
    EXPECT_FALSE(IsStsUrl(bad)) << bad;
  }
}

TEST(IsImpersonationUrl, AcceptsOnlyGenerateAccessToken) {
  const std::string path = "/v1/projects/-/serviceAccounts/a@p.iam.gserviceaccount.com:generateAccessToken";
  EXPECT_TRUE(IsImpersonationUrl("https://iamcredentials.googleapis.com" + path));
  EXPECT_TRUE(IsImpersonationUrl("https://iamcredentials.europe-west4.googleapis.com" + path));
  EXPECT_TRUE(IsImpersonationUrl("http://localhost:1" + path));
  EXPECT_FALSE(IsImpersonationUrl("http://iamcredentials.googleapis.com" + path));
  EXPECT_FALSE(IsImpersonationUrl("https://example.com" + path));
  EXPECT_FALSE(IsImpersonationUrl("https://iamcredentials.googleapis.com" + path + "?x"));
  EXPECT_FALSE(IsImpersonationUrl("https://iamcredentials.googleapis.com"));
  EXPECT_FALSE(IsImpersonationUrl("https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a:signBlob"));
  EXPECT_FALSE(
      IsImpersonationUrl("https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/:generateAccessToken"));
  EXPECT_FALSE(IsImpersonationUrl(
      "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a/../b:generateAccessToken"));
}

TEST(IsSubjectTokenUrl, AcceptsPlainHttpOnlyForLocalHosts) {
  EXPECT_TRUE(IsSubjectTokenUrl("https://issuer.example.com/token?audience=x"));
  EXPECT_TRUE(IsSubjectTokenUrl("http://169.254.169.254/metadata/identity/oauth2/token?resource=x"));
  EXPECT_TRUE(IsSubjectTokenUrl("http://127.0.0.1:5000/token"));
  EXPECT_FALSE(IsSubjectTokenUrl("http://issuer.example.com/token"));
  EXPECT_FALSE(IsSubjectTokenUrl("file:///etc/passwd"));
}

TEST(IsMetadataHost, AcceptsGoogleAndLoopback) {
  for (const char* good : {"169.254.169.254", "169.254.169.254:80", "metadata.google.internal", "metadata",
                           "127.0.0.1:9", "localhost:9", "[fd20:ce::254]"}) {
    EXPECT_TRUE(IsMetadataHost(good)) << good;
  }
  for (const char* bad : {"", "example.com", "metadata.google.internal.example.com", "http://127.0.0.1", "127.0.0.1/x",
                          "user@127.0.0.1", "169.254.169.253"}) {
    EXPECT_FALSE(IsMetadataHost(bad)) << bad;
  }
}

}  // namespace
}  // namespace gcsflux::internal
