#include "wire/resumable_upload.h"

#include <gtest/gtest.h>

#include <vector>

namespace gcsflux::internal {
namespace {

constexpr char kUri[] = "http://h/upload?upload_id=1";
constexpr char kStored[] = R"({"name":"o","generation":"1","size":"8"})";
const std::vector<std::byte> kEight(8);

std::string ContentRange(const HttpRequest& request) {
  for (const auto& [name, value] : request.headers) {
    if (name == "Content-Range") return value;
  }
  return "";
}

HttpResponse Incomplete(const std::string& range) {
  HttpResponse response{.status = 308};
  if (!range.empty()) response.headers.emplace_back("range", range);
  return response;
}

std::span<const std::byte> Bytes(std::size_t count) { return std::span(kEight).first(count); }

TEST(ResumableUpload, SendsWhatIsNotPersisted) {
  ResumableUpload upload(kUri);
  EXPECT_EQ(ContentRange(upload.Next(Bytes(8), false, 0)), "bytes 0-7/*");
  ASSERT_TRUE(upload.OnResponse(Incomplete("bytes=0-4")).ok());
  EXPECT_EQ(upload.persisted(), 5U);
  const auto rest = upload.Next(Bytes(3), true, 0xE3069283);
  EXPECT_EQ(ContentRange(rest), "bytes 5-7/8");
  EXPECT_EQ(rest.headers.back().second, "crc32c=4waSgw==");
  ASSERT_TRUE(upload.OnResponse({.status = 200, .body = kStored}).ok());
  EXPECT_EQ(upload.object()->size, 8U);
}

TEST(ResumableUpload, AsksAfterAFailure) {
  ResumableUpload upload(kUri);
  upload.OnFailure();
  const auto query = upload.Next(Bytes(8), false, 0);
  EXPECT_EQ(ContentRange(query), "bytes */*");
  EXPECT_TRUE(query.payload.empty());
  ASSERT_TRUE(upload.OnResponse(Incomplete("")).ok());  // Nothing persisted is an answer.
  EXPECT_EQ(ContentRange(upload.Next(Bytes(8), false, 0)), "bytes 0-7/*");
}

TEST(ResumableUpload, FindsALostFinalAnswerByAsking) {
  ResumableUpload upload(kUri);
  upload.OnFailure();
  EXPECT_EQ(ContentRange(upload.Next(Bytes(8), true, 0)), "bytes */8");
  ASSERT_TRUE(upload.OnResponse({.status = 200, .body = kStored}).ok());
  EXPECT_TRUE(upload.object());
}

TEST(ResumableUpload, EndsAnUploadThatIsWhole) {
  ResumableUpload upload(kUri);
  ASSERT_TRUE(upload.OnResponse(Incomplete("bytes=0-7")).ok());
  EXPECT_EQ(ContentRange(upload.Next({}, true, 0)), "bytes */8");
}

TEST(ResumableUpload, DoesNotStartOverWhenAnAnswerForgetsBytes) {
  ResumableUpload upload(kUri);
  ASSERT_TRUE(upload.OnResponse(Incomplete("bytes=0-4")).ok());
  const auto glitch = upload.OnResponse(Incomplete(""));
  ASSERT_FALSE(glitch.ok());
  EXPECT_EQ(glitch.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(ContentRange(upload.Next(Bytes(3), false, 0)), "bytes */*");
  ASSERT_TRUE(upload.OnResponse(Incomplete("bytes=0-4")).ok());  // The query sets it right.
  EXPECT_EQ(upload.persisted(), 5U);
}

TEST(ResumableUpload, IsLostWhenAQueryConfirmsThatBytesAreGone) {
  ResumableUpload upload(kUri);
  ASSERT_TRUE(upload.OnResponse(Incomplete("bytes=0-4")).ok());
  upload.OnFailure();
  const auto lost = upload.OnResponse(Incomplete("bytes=0-1"));
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().code, ErrorCode::kSessionLost);
}

TEST(ResumableUpload, DoesNotSendTheSameChunkForEver) {
  ResumableUpload upload(kUri);
  const auto stuck = upload.OnResponse(Incomplete(""));
  ASSERT_FALSE(stuck.ok());
  EXPECT_EQ(stuck.error().code, ErrorCode::kUnavailable);
}

TEST(ResumableUpload, TellsALostSession) {
  for (const int status : {404, 410}) {
    ResumableUpload upload(kUri);
    const auto lost = upload.OnResponse({.status = status});
    ASSERT_FALSE(lost.ok());
    EXPECT_EQ(lost.error().code, ErrorCode::kSessionLost) << status;
  }
}

TEST(ResumableUpload, AsksAgainAfterAnAnswerThatItCannotRead) {
  for (const HttpResponse& answer : {HttpResponse{.status = 200, .body = "<html>"}, HttpResponse{.status = 503},
                                     Incomplete("bytes=3-4"), Incomplete("bytes=0-x")}) {
    ResumableUpload upload(kUri);
    EXPECT_FALSE(upload.OnResponse(answer).ok());
    EXPECT_EQ(ContentRange(upload.Next(Bytes(8), false, 0)), "bytes */*");
  }
}

}  // namespace
}  // namespace gcsflux::internal
