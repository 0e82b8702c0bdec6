// Every answer of a session, and the next step.
#include "wire/resumable_upload.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux::internal {
namespace {

const ObjectName kObject{"b", "o"};
constexpr char kUri[] = "http://h/upload?upload_id=1";
constexpr char kStored[] = R"({"bucket":"b","name":"o","generation":"1","size":"8"})";
const std::vector<std::byte> kEight(8);

std::string ContentRange(const HttpRequest& request) {
  for (const auto& [name, value] : request.headers) {
    if (name == "Content-Range") return std::string(value);
  }
  return "";
}

HttpResponse Incomplete(const std::string& range) {
  HttpResponse response{.status = 308};
  if (!range.empty()) response.headers.emplace_back("range", range);
  return response;
}

HttpResponse Complete(const std::string& size) {
  return {.status = 200, .body = R"({"bucket":"b","name":"o","generation":"1","size":")" + size + R"("})"};
}

std::span<const std::byte> Bytes(std::size_t count) { return std::span(kEight).first(count); }

// A session that was sent eight bytes and has acknowledged some.
ResumableUpload After(const std::string& range) {
  ResumableUpload upload(kObject, kUri);
  static_cast<void>(upload.Next(Bytes(8), false, 0));
  EXPECT_TRUE(upload.OnResponse(Incomplete(range)).ok());
  return upload;
}

ErrorCode CodeOf(const Result<void>& result) {
  EXPECT_FALSE(result.ok());
  return result.ok() ? ErrorCode::kInvalidArgument : result.error().code;
}

TEST(ResumableUpload, SendsUnpersistedBytes) {
  ResumableUpload upload(kObject, kUri);
  EXPECT_EQ(ContentRange(upload.Next(Bytes(8), false, 0)), "bytes 0-7/*");
  ASSERT_TRUE(upload.OnResponse(Incomplete("bytes=0-4")).ok());
  EXPECT_EQ(upload.persisted(), 5U);
  const auto rest = upload.Next(Bytes(3), true, 0xE3069283);
  EXPECT_EQ(ContentRange(rest), "bytes 5-7/8");
  EXPECT_EQ(rest.headers.back().second, "crc32c=4waSgw==");
  ASSERT_TRUE(upload.OnResponse({.status = 200, .body = kStored}).ok());
  EXPECT_EQ(upload.object()->size, 8U);
}

TEST(ResumableUpload, QueriesAgainAfterContradictoryRanges) {
  ResumableUpload upload(kObject, kUri);
  static_cast<void>(upload.Next(Bytes(8), false, 0));
  HttpResponse two = Incomplete("bytes=0-4");
  two.headers.emplace_back("range", "bytes=0-7");
  EXPECT_EQ(CodeOf(upload.OnResponse(two)), ErrorCode::kUnavailable);
  EXPECT_EQ(upload.persisted(), 0U);
  EXPECT_TRUE(upload.must_query());
  EXPECT_EQ(CodeOf(upload.OnResponse(two)), ErrorCode::kBadResponse);
}

TEST(ResumableUpload, QueriesAfterAFailure) {
  ResumableUpload upload(kObject, kUri);
  upload.OnFailure();
  const auto query = upload.Next(Bytes(8), false, 0);
  EXPECT_EQ(ContentRange(query), "bytes */*");
  EXPECT_TRUE(query.payload.empty());
  ASSERT_TRUE(upload.OnResponse(Incomplete("")).ok());  // Nothing persisted is an answer.
  EXPECT_EQ(ContentRange(upload.Next(Bytes(8), false, 0)), "bytes 0-7/*");
}

TEST(ResumableUpload, FindsALostFinalAnswerByAQuery) {
  ResumableUpload upload(kObject, kUri);
  static_cast<void>(upload.Next(Bytes(8), true, 0));
  upload.OnFailure();
  EXPECT_EQ(ContentRange(upload.Next(Bytes(8), true, 0)), "bytes */8");
  ASSERT_TRUE(upload.OnResponse({.status = 200, .body = kStored}).ok());
  EXPECT_TRUE(upload.object());
}

TEST(ResumableUpload, FinishesACompleteUpload) {
  EXPECT_EQ(ContentRange(After("bytes=0-7").Next({}, true, 0)), "bytes */8");
}

TEST(ResumableUpload, DoesNotStartOverIfAnAnswerLosesBytes) {
  ResumableUpload upload = After("bytes=0-4");
  EXPECT_EQ(CodeOf(upload.OnResponse(Incomplete(""))), ErrorCode::kUnavailable);
  EXPECT_EQ(ContentRange(upload.Next(Bytes(3), false, 0)), "bytes */*");
  ASSERT_TRUE(upload.OnResponse(Incomplete("bytes=0-4")).ok());  // The query sets it right.
  EXPECT_EQ(upload.persisted(), 5U);
}

TEST(ResumableUpload, ConfirmsAQueryThatLosesBytes) {
  ResumableUpload upload = After("bytes=0-4");
  upload.OnFailure();
  EXPECT_EQ(CodeOf(upload.OnResponse(Incomplete(""))), ErrorCode::kUnavailable);
  EXPECT_TRUE(upload.OnResponse(Incomplete("bytes=0-4")).ok());
  EXPECT_EQ(CodeOf(upload.OnResponse(Incomplete(""))), ErrorCode::kUnavailable);  // A new doubt, not a second one.
}

TEST(ResumableUpload, IsLostIfASecondQueryConfirmsLostBytes) {
  ResumableUpload upload = After("bytes=0-4");
  EXPECT_EQ(CodeOf(upload.OnResponse(Incomplete("bytes=0-1"))), ErrorCode::kUnavailable);
  EXPECT_EQ(CodeOf(upload.OnResponse(Incomplete("bytes=0-1"))), ErrorCode::kSessionLost);
}

TEST(ResumableUpload, IsLostIfItHasUnsentBytes) {
  ResumableUpload upload = After("bytes=0-4");
  EXPECT_EQ(CodeOf(upload.OnResponse(Incomplete("bytes=0-8"))), ErrorCode::kUnavailable);
  EXPECT_EQ(CodeOf(upload.OnResponse(Incomplete("bytes=0-8"))), ErrorCode::kSessionLost);
  EXPECT_EQ(upload.persisted(), 5U);
}

TEST(ResumableUpload, IsLostIfCompletedWithOtherBytes) {
  EXPECT_EQ(CodeOf(After("bytes=0-4").OnResponse(Complete("4"))), ErrorCode::kSessionLost);
  EXPECT_EQ(CodeOf(After("bytes=0-4").OnResponse(Complete("9"))), ErrorCode::kSessionLost);
}

TEST(ResumableUpload, LimitsRepetitionsOfAChunk) {
  ResumableUpload upload(kObject, kUri);
  static_cast<void>(upload.Next(Bytes(8), false, 0));
  EXPECT_EQ(CodeOf(upload.OnResponse(Incomplete(""))), ErrorCode::kUnavailable);
  EXPECT_TRUE(upload.must_query());
}

TEST(ResumableUpload, RecognisesALostSession) {
  for (const int status : {404, 410, 499}) {
    ResumableUpload upload(kObject, kUri);
    EXPECT_EQ(CodeOf(upload.OnResponse({.status = status})), ErrorCode::kSessionLost) << status;
  }
}

TEST(ResumableUpload, DistinguishesARateLimitFromALostSession) {
  for (const std::string reason : {"rateLimitExceeded", "userRateLimitExceeded"}) {
    ResumableUpload upload(kObject, kUri);
    const std::string body = R"({"error":{"code":410,"message":"slow","errors":[{"reason":")" + reason + R"("}]}})";
    EXPECT_EQ(CodeOf(upload.OnResponse({.status = 410, .body = body})), ErrorCode::kRateLimited);
    EXPECT_TRUE(upload.must_query());
  }
}

TEST(ResumableUpload, ReadsAnOverriddenStatus) {
  ResumableUpload upload(kObject, kUri);
  static_cast<void>(upload.Next(Bytes(8), false, 0));
  HttpResponse answer{.status = 200, .headers = {{"x-http-status-code-override", "308"}, {"range", "bytes=0-4"}}};
  ASSERT_TRUE(upload.OnResponse(answer).ok());
  EXPECT_EQ(upload.persisted(), 5U);
  EXPECT_FALSE(upload.object());
  answer.headers = {{"x-http-status-code-override", "410"}};
  EXPECT_EQ(CodeOf(upload.OnResponse(answer)), ErrorCode::kSessionLost);
}

TEST(ResumableUpload, QueriesAgainAfterAnUnreadableAnswer) {
  for (const HttpResponse& answer : {HttpResponse{.status = 200, .body = "<html>"}, Incomplete("bytes=3-4"),
                                     Incomplete("bytes=0-x"), Incomplete("bytes=0-18446744073709551615")}) {
    ResumableUpload upload(kObject, kUri);
    EXPECT_EQ(CodeOf(upload.OnResponse(answer)), ErrorCode::kUnavailable);
    EXPECT_EQ(ContentRange(upload.Next(Bytes(8), false, 0)), "bytes */*");
    EXPECT_EQ(CodeOf(upload.OnResponse(answer)), ErrorCode::kBadResponse);
  }
}

TEST(ResumableUpload, QueriesFirstWhenResumed) {
  ResumableUpload upload = ResumableUpload::Resumed(kObject, kUri, 5);
  EXPECT_EQ(ContentRange(upload.Next(Bytes(3), false, 0)), "bytes */*");
  ASSERT_TRUE(upload.OnResponse(Incomplete("bytes=0-9")).ok());  // More than the state has.
  EXPECT_EQ(upload.persisted(), 10U);
}

TEST(ResumableUpload, IsLostIfResumedWithFewerBytes) {
  ResumableUpload upload = ResumableUpload::Resumed(kObject, kUri, 5);
  EXPECT_EQ(CodeOf(upload.OnResponse(Incomplete("bytes=0-3"))), ErrorCode::kUnavailable);
  EXPECT_EQ(CodeOf(upload.OnResponse(Incomplete("bytes=0-3"))), ErrorCode::kSessionLost);
}

TEST(SessionUri, IsTheLocationOfTheAnswer) {
  const HttpResponse answer{.headers = {{"location", "https://other.example/upload?upload_id=1"}}};
  const auto uri = SessionUri(answer, "https://storage.googleapis.com");
  ASSERT_TRUE(uri.ok());
  EXPECT_EQ(*uri, "https://other.example/upload?upload_id=1");
}

TEST(SessionUri, RefusesMalformedLocations) {
  for (const char* location : {"", "/upload?upload_id=1", "ftp://h/x", "https://", "https://u@h/x", "http://h/\n"}) {
    EXPECT_TRUE(testing::FailsWith(SessionUri({.headers = {{"location", location}}}, "http://127.0.0.1:1"),
                                   ErrorCode::kBadResponse))
        << location;
  }
  EXPECT_FALSE(SessionUri({}, "http://127.0.0.1:1").ok());
}

TEST(SessionUri, RefusesTwoLocations) {
  Headers headers = {{"location", "http://127.0.0.1:1/a"}, {"location", "http://127.0.0.1:1/a"}};
  EXPECT_TRUE(SessionUri({.headers = headers}, "http://127.0.0.1:1").ok());
  headers.emplace_back("location", "http://127.0.0.1:2/a");
  EXPECT_EQ(testing::ErrorOf(SessionUri({.headers = headers}, "http://127.0.0.1:1")).code, ErrorCode::kBadResponse);
}

TEST(SessionUri, RefusesADowngradeFromHttps) {
  const HttpResponse answer{.headers = {{"location", "http://h/upload?upload_id=1"}}};
  EXPECT_FALSE(SessionUri(answer, "https://storage.googleapis.com").ok());
  EXPECT_TRUE(SessionUri(answer, "http://127.0.0.1:1").ok());
}

}  // namespace
}  // namespace gcsflux::internal
