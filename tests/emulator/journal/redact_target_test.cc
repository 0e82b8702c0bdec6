#include "journal/redact_target.h"

#include <gtest/gtest.h>

#include "journal/client_attempt.h"

namespace gcsflux::emulator {
namespace {

TEST(RedactTarget, HidesCredentials) {
  struct Case {
    const char* target;
    const char* want;
  };
  const Case cases[] = {
      {"/upload/storage/v1/b/b/o?uploadType=resumable&upload_id=SECRET&name=n",
       "/upload/storage/v1/b/b/o?uploadType=resumable&upload_id=REDACTED&name=n"},
      {"/b/o?partNumber=1&uploadId=SECRET", "/b/o?partNumber=1&uploadId=REDACTED"},
      {"/b/o?access_token=SECRET", "/b/o?access_token=REDACTED"},
      {"/b/o?oauth_token=SECRET&key=SECRET", "/b/o?oauth_token=REDACTED&key=REDACTED"},
      {"/b/o?X-Goog-Credential=SECRET&X-Goog-Expires=60&X-Goog-Signature=SECRET",
       "/b/o?X-Goog-Credential=REDACTED&X-Goog-Expires=60&X-Goog-Signature=REDACTED"},
      {"/b/o?GoogleAccessId=SECRET&Signature=SECRET", "/b/o?GoogleAccessId=REDACTED&Signature=REDACTED"},
      {"/b/o?ACCESS%5ftoken=SECRET", "/b/o?ACCESS%5ftoken=REDACTED"},
      {"/b/o?rewriteToken=SECRET", "/b/o?rewriteToken=REDACTED"},
      {"/b/o?NAME=SECRET&unheard_of=SECRET&=SECRET", "/b/o?NAME=REDACTED&unheard_of=REDACTED&=REDACTED"},
      {"/b?upload-id-marker=SECRET&key-marker=k", "/b?upload-id-marker=REDACTED&key-marker=k"},
      {"/b/o?access_token=SECRET?key=SECRET", "/b/o?access_token=REDACTED"},
      {"http://user:SECRET@host:1/b/o?alt=media", "/b/o?alt=media"},
      {"http://user:SECRET@host:1", ""},
  };
  for (const Case& c : cases) EXPECT_EQ(RedactTarget(c.target), c.want) << c.target;
}

TEST(RedactTarget, KeepsTheRestUnchanged) {
  for (const char* target :
       {"/", "/storage/v1/b/b/o/a%2Fb?alt=media&generation=7", "/storage/v1/b?pageToken=abc&prefix=key",
        "/b?a&name=&&prefix==&&", "/b/o?prefix=upload_id", "/b/http://x", "*"}) {
    EXPECT_EQ(RedactTarget(target), target);
  }
}

TEST(RedactTarget, EncodesUnprintableBytes) {
  EXPECT_EQ(RedactTarget("/b/\xFF\x01\x7F?name=\xC3\xA9"), "/b/%FF%01%7F?name=%C3%A9");
}

TEST(ParseClientAttempt, ReadsCallAndAttempt) {
  const ClientAttempt both =
      ParseClientAttempt("gl-cpp/2.1 gccl-invocation-id/6b29fc40-ca47-1067-b31d-00dd010662da gccl-attempt-count/3 x/y");
  EXPECT_EQ(both.invocation_id, "6b29fc40-ca47-1067-b31d-00dd010662da");
  EXPECT_EQ(both.attempt, 3);
  const ClientAttempt only_id = ParseClientAttempt("gccl-invocation-id/abc");
  EXPECT_EQ(only_id.invocation_id, "abc");
  EXPECT_EQ(only_id.attempt, 0);
}

TEST(ParseClientAttempt, RefusesMalformedHeaders) {
  for (const char* header : {"", "gl-go/1", "xgccl-invocation-id/abc", "gccl-invocation-id/ gccl-attempt-count/",
                             "gccl-attempt-count/0", "gccl-attempt-count/-1", "gccl-attempt-count/1x",
                             "gccl-attempt-count/99999999999", "gccl-invocation-id/\"\xFF"}) {
    const ClientAttempt parsed = ParseClientAttempt(header);
    EXPECT_EQ(parsed.invocation_id, "") << header;
    EXPECT_EQ(parsed.attempt, 0) << header;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
