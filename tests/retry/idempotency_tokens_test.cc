#include "retry/idempotency_tokens.h"

#include <gtest/gtest.h>

#include <string>

namespace gcsflux::internal {
namespace {

const Result<HttpResponse> kLost = Error{ErrorCode::kUnavailable, "reset"};
Result<HttpResponse> Answer(int status) { return HttpResponse{.status = status}; }

HttpRequest Get(const std::string& url, const std::string& range = "") {
  HttpRequest request{.url = url};
  if (!range.empty()) request.headers.emplace_back("Range", range);
  return request;
}
HttpRequest Post(const std::string& url) { return {.method = Method::kPost, .url = url}; }
HttpRequest PutSession(const std::string& range) {
  return {.method = Method::kPut, .url = "s", .headers = {{"Content-Range", range}}, .is_url_secret = true};
}

class IdempotencyTokensTest : public ::testing::Test {
 protected:
  std::string Send(const HttpRequest& request, const Result<HttpResponse>& outcome = kLost) {
    std::string token = tokens_.For(request, "call", [this] { return "made " + std::to_string(++made_); });
    tokens_.OnOutcome(request, outcome);
    return token;
  }

  IdempotencyTokens tokens_;
  int made_ = 0;
};

TEST_F(IdempotencyTokensTest, AreTheSameForAllAttempts) {
  for (const auto& outcome : {kLost, Answer(503), Answer(500), Answer(429), Answer(408), Answer(401)}) {
    EXPECT_EQ(Send(Post("a"), outcome), "call");
  }
  EXPECT_EQ(Send(Post("a")), "call");
}

TEST_F(IdempotencyTokensTest, DifferBetweenChanges) {
  EXPECT_EQ(Send(PutSession("bytes 0-4/*")), "call");
  EXPECT_EQ(Send(PutSession("bytes 5-9/*")), "made 1");
  EXPECT_EQ(Send(Post("b")), "made 2");
  EXPECT_EQ(Send(Post("c")), "made 3");
  EXPECT_EQ(Send(HttpRequest{.method = Method::kDelete, .url = "c"}), "made 4");
}

TEST_F(IdempotencyTokensTest, AreNotSentWithQueries) {
  EXPECT_EQ(Send(Get("a")), "");
  EXPECT_EQ(Send(Get("a", "bytes=5-")), "");
  EXPECT_EQ(Send(PutSession("bytes */*"), Answer(308)), "");
  EXPECT_EQ(Send(Post("a")), "call");
}

TEST_F(IdempotencyTokensTest, ChangeAfterAFinalAnswer) {
  EXPECT_EQ(Send(Post("a"), Answer(404)), "call");
  EXPECT_EQ(Send(Post("a"), Answer(412)), "made 1");
  EXPECT_EQ(Send(Post("a"), Answer(308)), "made 2");
  EXPECT_EQ(Send(Post("a")), "made 3");
}

TEST_F(IdempotencyTokensTest, SurviveAQueryBetweenAttempts) {
  EXPECT_EQ(Send(PutSession("bytes 0-9/*")), "call");
  EXPECT_EQ(Send(PutSession("bytes */*"), Answer(308)), "");
  EXPECT_EQ(Send(Get("a"), Answer(404)), "");
  EXPECT_EQ(Send(PutSession("bytes 0-9/*"), Answer(308)), "call");
  EXPECT_EQ(Send(PutSession("bytes 10-19/*"), Answer(308)), "made 1");
}

}  // namespace
}  // namespace gcsflux::internal
