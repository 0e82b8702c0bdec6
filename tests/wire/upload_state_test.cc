#include "wire/upload_state.h"

#include <gtest/gtest.h>

#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux::internal {
namespace {

const UploadState kState{.endpoint = "https://storage.googleapis.com",
                         .object = {"bkt", "a/\"b\"\xC3\xA9"},
                         .session_uri = "https://storage.googleapis.com/upload?upload_id=secret",
                         .persisted = 5'000'000'000'000,
                         .crc32c = 0xE3069283,
                         .chunk_bytes = 262'144};

TEST(UploadState, RoundTrips) {
  const auto read = ParseUploadState(FormatUploadState(kState));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, kState);
}

TEST(UploadState, RefusesEveryTruncation) {
  const std::string text = FormatUploadState(kState);
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_TRUE(testing::FailsWith(ParseUploadState(text.substr(0, size)), ErrorCode::kInvalidArgument)) << size;
  }
}

TEST(UploadState, RefusesTrailingText) {
  const std::string text = FormatUploadState(kState);
  EXPECT_TRUE(ParseUploadState(text + "\n").ok());
  for (const std::string& behind : {std::string(1, '\0'), std::string("\0{}", 3), std::string("{}")}) {
    EXPECT_EQ(testing::ErrorOf(ParseUploadState(text + behind)).code, ErrorCode::kInvalidArgument) << behind;
  }
}

TEST(UploadState, RefusesEveryChangedByteWithoutShowingSecrets) {
  const std::string text = FormatUploadState(kState);
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] ^= 1;
    const auto read = ParseUploadState(changed);
    ASSERT_FALSE(read.ok()) << changed;
    EXPECT_EQ(read.error().message.find("secret"), std::string::npos);
  }
}

TEST(UploadState, RefusesAnotherVersion) {
  std::string text = FormatUploadState(kState);
  text.replace(text.find("\"version\":1"), 11, "\"version\":2");
  const auto read = ParseUploadState(text);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("version"), std::string::npos);
}

TEST(UploadState, RefusesOtherTexts) {
  for (const char* text : {"", "null", "[]", "{}", "{\"version\":1}", "{\"version\":1,\"seal\":\"AAAAAA==\"}"}) {
    EXPECT_FALSE(ParseUploadState(text).ok()) << text;
  }
}

}  // namespace
}  // namespace gcsflux::internal
