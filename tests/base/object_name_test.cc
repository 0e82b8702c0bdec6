#include "base/object_name.h"

#include <gtest/gtest.h>

#include <string>

#include "support/fails_with.h"

namespace gcsflux {
namespace {

TEST(ParseUri, SplitsBucketAndName) {
  struct Case {
    std::string uri, bucket, name;
  };
  const Case cases[] = {
      {"gs://abc", "abc", ""},
      {"gs://abc/", "abc", ""},
      {"gcs://abc/x", "abc", "x"},
      {"gs://abc/a/b%2Fc d", "abc", "a/b%2Fc d"},
      {"gs://a.b-c_d9//x", "a.b-c_d9", "/x"},
  };
  for (const auto& [uri, bucket, name] : cases) {
    const auto parsed = ParseUri(uri);
    ASSERT_TRUE(parsed.ok()) << uri << ": " << parsed.error().message;
    EXPECT_EQ(*parsed, (ObjectName{bucket, name})) << uri;
  }
}

TEST(ParseUri, RefusesOtherUris) {
  for (const char* uri : {"", "abc", "/abc/x", "s3://abc/x", "gs:/abc", "gs://", "gs:///x", "gs://ab/x", "gs://ABC/x",
                          "gs://-abc", "gs://abc-/x", "gs://a b c/x"}) {
    const auto parsed = ParseUri(uri);
    ASSERT_TRUE(testing::FailsWith(parsed, ErrorCode::kInvalidArgument)) << uri;
    EXPECT_FALSE(parsed.error().message.empty()) << uri;
  }
}

TEST(ToUri, RoundTripsThroughParseUri) {
  for (const char* uri : {"gs://abc", "gs://abc/x", "gs://abc//x/", "gs://abc/\xC3\xA9"}) {
    EXPECT_EQ(ToUri(*ParseUri(uri)), uri);
  }
}

TEST(CheckObjectName, EnforcesTheRulesOfGcs) {
  using internal::CheckObjectName;
  for (const std::string& name : {std::string("a"), std::string(1024, 'a'), std::string("..."), std::string("/"),
                                  std::string("\xF4\x8F\xBF\xBF"), std::string("a\tb"), std::string("a\0b", 3)}) {
    EXPECT_TRUE(CheckObjectName(name).ok()) << name;
  }
  for (const std::string& name :
       {std::string(), std::string(1025, 'a'), std::string("."), std::string(".."), std::string("a\nb"),
        std::string("a\rb"), std::string("\xFF"), std::string("\xC0\x80"), std::string("\xED\xA0\x80"),
        std::string("\xF4\x90\x80\x80"), std::string("\xE2\x82"), std::string(".well-known/acme-challenge/x")}) {
    EXPECT_FALSE(CheckObjectName(name).ok()) << name;
  }
}

TEST(CheckBucketName, BoundsLengthPerLabel) {
  using internal::CheckBucketName;
  EXPECT_TRUE(CheckBucketName(std::string(63, 'a')).ok());
  EXPECT_FALSE(CheckBucketName(std::string(64, 'a')).ok());
  EXPECT_TRUE(CheckBucketName(std::string(63, 'a') + "." + std::string(63, 'b')).ok());
  EXPECT_FALSE(CheckBucketName(std::string(63, 'a') + "." + std::string(64, 'b')).ok());
}

}  // namespace
}  // namespace gcsflux
