#include "client/read_in_progress.h"

#include <gtest/gtest.h>

#include <string>

#include "support/result.h"

namespace gcsflux::internal {
namespace {

class ReadInProgressTest : public ::testing::Test {
 protected:
  // Of the bytes of a generation, as the service would answer a range.
  static HttpResponse Part(const std::string& content_range) {
    return {.status = 206, .headers = {{"x-goog-generation", "7"}, {"content-range", content_range}}};
  }

  std::string got_;
  const ByteSink sink_ = [this](std::span<const std::byte> data) -> Result<void> {
    got_.append(reinterpret_cast<const char*>(data.data()), data.size());
    return {};
  };
  const ReadTarget target_{.sink = sink_, .capacity = 100};
  const ReadObjectOptions options_{.range = ByteRange{4, 4}};
  ReadInProgress read_{options_, target_, /*must_verify=*/false};
};

TEST_F(ReadInProgressTest, RefusesAnAnswerWithAnotherStart) {
  for (const char* range : {"bytes 3-6/10", "bytes 5-8/10", "bytes 0-3/10"}) {
    EXPECT_EQ(testing::ErrorOf(read_.OnHeaders(Part(range))).code, ErrorCode::kBadResponse) << range;
  }
  ASSERT_TRUE(read_.OnHeaders(Part("bytes 4-7/10")).ok());
  ASSERT_TRUE(read_.OnBody(AsBytes("45")).ok());
  EXPECT_EQ(testing::ErrorOf(read_.OnHeaders(Part("bytes 4-7/10"))).code, ErrorCode::kBadResponse) << "it resumes at 6";
  EXPECT_TRUE(read_.OnHeaders(Part("bytes 6-7/10")).ok());
}

TEST_F(ReadInProgressTest, RefusesOtherSuccessStatuses) {
  for (const int status : {201, 202, 203, 204, 205, 226}) {
    HttpResponse response = Part("bytes 4-7/10");
    response.status = status;
    EXPECT_EQ(testing::ErrorOf(read_.OnHeaders(response)).code, ErrorCode::kBadResponse) << status;
  }
  for (const int status : {304, 404, 503}) EXPECT_FALSE(*read_.OnHeaders({.status = status})) << status;
}

TEST_F(ReadInProgressTest, RefusesABodyOfAnotherLength) {
  const auto answer = [](const char* length) {
    HttpResponse response = Part("bytes 4-7/10");
    response.headers.emplace_back("content-length", length);
    return response;
  };
  for (const char* length : {"3", "5", "0"}) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(testing::ErrorOf(read_.OnHeaders(answer(length))).code, ErrorCode::kTruncated) << length;
    }
    EXPECT_EQ(testing::ErrorOf(read_.OnHeaders(answer(length))).code, ErrorCode::kBadResponse) << length;
    ASSERT_TRUE(read_.OnHeaders(answer("4")).ok());
  }
  EXPECT_TRUE(read_.OnHeaders(Part("bytes 4-7/10")).ok()) << "in chunks no length is announced";
}

// The second read of corrupted bytes is verified by the first one's checksum.
TEST_F(ReadInProgressTest, RemembersTheChecksumOfAnEarlierAnswer) {
  const ReadTarget target{.sink = sink_, .capacity = 100, .rewind = [this] { got_.clear(); }};
  const ReadObjectOptions whole;
  const auto answer = [](const char* generation, const char* size, const Headers& more) {
    HttpResponse response{.status = 200,
                          .headers = {{"x-goog-generation", generation}, {"x-goog-stored-content-length", size}}};
    response.headers.Append(more);
    return response;
  };
  const Headers hash = {{"x-goog-hash", "crc32c=4waSgw=="}};  // of "123456789"
  ReadInProgress read(whole, target, /*must_verify=*/false);
  ASSERT_TRUE(read.OnHeaders(answer("7", "9", hash)).ok());
  ASSERT_TRUE(read.OnBody(AsBytes("xxxxxxxxx")).ok());
  EXPECT_EQ(testing::ErrorOf(read.Finish()).code, ErrorCode::kCorrupted);
  ASSERT_TRUE(read.Rewind());
  EXPECT_EQ(testing::ErrorOf(read.OnHeaders(answer("7", "8", {}))).code, ErrorCode::kBadResponse);
  EXPECT_EQ(testing::ErrorOf(read.OnHeaders(answer("7", "9", {{"x-goog-hash", "crc32c=AAAAAA=="}}))).code,
            ErrorCode::kBadResponse);
  ASSERT_TRUE(read.OnHeaders(answer("7", "9", {})).ok());
  ASSERT_TRUE(read.OnBody(AsBytes("xxxxxxxxx")).ok());
  EXPECT_EQ(testing::ErrorOf(read.Finish()).code, ErrorCode::kCorrupted);
  ASSERT_TRUE(read.Rewind());
  EXPECT_TRUE(read.OnHeaders(answer("8", "4", {})).ok()) << "it was replaced";
}

// An empty object with another checksum is read a second time, as any other.
TEST_F(ReadInProgressTest, IsIncompleteAfterARewind) {
  const ReadTarget target{.sink = sink_, .capacity = 100, .rewind = [] {}};
  const ReadObjectOptions whole;
  ReadInProgress read(whole, target, /*must_verify=*/false);
  ASSERT_TRUE(read.OnHeaders({.status = 200,
                              .headers = {{"x-goog-generation", "7"},
                                          {"x-goog-stored-content-length", "0"},
                                          {"x-goog-hash", "crc32c=4waSgw=="}}})
                  .ok());
  EXPECT_TRUE(read.is_complete());
  EXPECT_EQ(testing::ErrorOf(read.Finish()).code, ErrorCode::kCorrupted);
  ASSERT_TRUE(read.Rewind());
  EXPECT_FALSE(read.is_complete());
}

TEST_F(ReadInProgressTest, RefusesExcessBytes) {
  ASSERT_TRUE(read_.OnHeaders(Part("bytes 4-7/10")).ok());
  ASSERT_TRUE(read_.OnBody(AsBytes("456")).ok());
  EXPECT_EQ(testing::ErrorOf(read_.OnBody(AsBytes("78"))).code, ErrorCode::kBadResponse);
  EXPECT_EQ(got_, "456");
  EXPECT_FALSE(read_.is_complete());
}

}  // namespace
}  // namespace gcsflux::internal
