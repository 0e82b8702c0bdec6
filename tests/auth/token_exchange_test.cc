// Token requests under failures, and their events.
#include "auth/token_exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/sign_blob.h"
#include "auth/token_answers.h"
#include "auth/token_service.h"
#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux::internal {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TokenAnswer;
using testing::TokenService;

constexpr auto kUrl = "https://oauth2.googleapis.com/token";
const AuthorizedUser kUser{"client", "the-client-secret", "the-refresh-token", kUrl};

class TokenExchangeTest : public ::testing::Test {
 protected:
  Result<HttpResponse> Send(TokenService& service, const RetryOptions& retry = {}, std::stop_token stop = {}) {
    return SendTokenRequest({service, timing_, retry, std::move(stop)}, RefreshRequest(kUser));
  }

  testing::DrivenTiming timing_;
};

TEST_F(TokenExchangeTest, RetriesTransientFailures) {
  std::vector<Result<HttpResponse>> answers = {HttpResponse{.status = 503},
                                               HttpResponse{.status = 429},
                                               HttpResponse{.status = 408},
                                               Error{ErrorCode::kUnavailable, "reset"},
                                               Error{ErrorCode::kUnreachable, "refused"},
                                               Error{ErrorCode::kTruncated, "cut"},
                                               TokenAnswer("t", 60)};
  std::size_t next = 0;
  TokenService service([&](const HttpRequest&) { return answers.at(next++); });
  EXPECT_TRUE(Send(service).ok());
  EXPECT_EQ(service.requests().size(), answers.size());
}

TEST_F(TokenExchangeTest, FailsAtTheDeadlineWithItsOwnCode) {
  TokenService service([&](const HttpRequest&) { return HttpResponse{.status = 503, .body = "<html>busy</html>"}; });
  const auto begin = timing_.Now();
  const auto answer = Send(service, {.deadline = std::chrono::seconds(30)});
  ASSERT_TRUE(testing::FailsWith(answer, ErrorCode::kTokenUnavailable));
  EXPECT_EQ(answer.error().http_status, 0) << "it is not the status of the caller's own request";
  EXPECT_THAT(answer.error().message, AllOf(HasSubstr(kUrl), HasSubstr("503 after "), Not(HasSubstr("html"))));
  EXPECT_GT(service.requests().size(), 2U);
  EXPECT_LT(timing_.Now() - begin, std::chrono::seconds(30));
}

TEST_F(TokenExchangeTest, StopsAfterMaxAttempts) {
  TokenService service([&](const HttpRequest&) { return Error{ErrorCode::kUnreachable, "refused"}; });
  EXPECT_EQ(testing::ErrorOf(Send(service, {.max_attempts = 3})).code, ErrorCode::kTokenUnavailable);
  EXPECT_EQ(service.requests().size(), 3U);
}

TEST_F(TokenExchangeTest, DoesNotRetryARefusal) {
  TokenService service([&](const HttpRequest&) {
    return HttpResponse{.status = 400,
                        .body = R"({"error":"invalid_grant","error_description":"Token has been revoked."})"};
  });
  const auto answer = Send(service);
  ASSERT_TRUE(testing::FailsWith(answer, ErrorCode::kUnauthenticated));
  EXPECT_EQ(answer.error().reason, "invalid_grant");
  EXPECT_THAT(answer.error().message, HasSubstr("400 invalid_grant: Token has been revoked."));
  EXPECT_EQ(service.requests().size(), 1U);
}

TEST_F(TokenExchangeTest, HidesASecretThatAnAnswerRepeats) {
  TokenService service([&](const HttpRequest&) {
    return HttpResponse{
        .status = 400,
        .body = R"({"error":"bad the-client-secret","error_description":"got the-refresh-token and )" +
                std::string(1000, 'x') + R"("})",
    };
  });
  const auto answer = Send(service);
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().message, AllOf(Not(HasSubstr("the-client-secret")), Not(HasSubstr("the-refresh-token"))));
  EXPECT_THAT(answer.error().reason, Not(HasSubstr("the-client-secret")));
  EXPECT_LT(answer.error().message.size(), 500U);
}

TEST_F(TokenExchangeTest, FollowsNoRedirect) {
  TokenService service([&](const HttpRequest&) {
    return HttpResponse{.status = 307, .headers = {{"location", "https://evil.com/token"}}};
  });
  EXPECT_TRUE(
      testing::FailsWith(Send(service), ErrorCode::kBadResponse, HasSubstr("307 (redirects are not followed)")));
  EXPECT_EQ(service.requests().size(), 1U);
}

TEST_F(TokenExchangeTest, StopsAtTheCallersStopToken) {
  std::stop_source stop;
  TokenService service([&](const HttpRequest&) {
    stop.request_stop();
    return HttpResponse{.status = 503};
  });
  EXPECT_EQ(testing::ErrorOf(Send(service, {}, stop.get_token())).code, ErrorCode::kCancelled);
  EXPECT_EQ(service.requests().size(), 1U);
}

TEST_F(TokenExchangeTest, OmitsTheQueryOfAUrlFromMessages) {
  TokenService service([&](const HttpRequest&) { return HttpResponse{.status = 404}; });
  const SubjectTokenSource source{.url = "https://issuer/token?secret=abc", .headers = {{"X-Secret", "def"}}};
  const auto answer = SendTokenRequest({service, timing_, {}, {}}, SubjectTokenRequest(source));
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().message, AllOf(HasSubstr("https://issuer/token: 404"), Not(HasSubstr("abc"))));
}

TEST(TokenRequests, FollowTheSpecifications) {
  EXPECT_EQ(
      RefreshRequest(kUser).http.head,
      "grant_type=refresh_token&client_id=client&client_secret=the-client-secret&refresh_token=the-refresh-token");
  const ExternalAccount account{
      .audience = "//a", .subject_token_type = "urn:x", .token_url = kUrl, .workforce_pool_user_project = "123"};
  EXPECT_EQ(
      ExchangeRequest(account, "a+b").http.head,
      "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&audience=%2F%2Fa&scope=https%3A%2F%2F"
      "www.googleapis.com%2Fauth%2Fcloud-platform&requested_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%"
      "3Aaccess_token&subject_token=a%2Bb&subject_token_type=urn%3Ax&options=%7B%22userProject%22%3A%22123%22%7D");
  const auto impersonation =
      ImpersonationRequest({.url = kUrl, .delegates = {"a@p"}, .lifetime = std::chrono::seconds(600)}, "base").http;
  EXPECT_EQ(impersonation.head, R"({"delegates":["projects/-/serviceAccounts/a@p"],"lifetime":"600s",)"
                                R"("scope":["https://www.googleapis.com/auth/cloud-platform"]})");
  EXPECT_EQ(impersonation.headers.back().second, "Bearer base");
}

TEST(TokenRequests, SendTheClientsIdIfThereIsOne) {
  const auto request = ExchangeRequest(
      {.token_url = kUrl, .workforce_pool_user_project = "123", .client_id = "me", .client_secret = "s"}, "t");
  EXPECT_EQ(request.http.headers.back().second, "Basic bWU6cw==");
  EXPECT_THAT(request.http.head, Not(HasSubstr("userProject"))) << "the client's own project counts";
}

TEST(TokenRequests, UseNoProxyWithoutTls) {
  EXPECT_TRUE(MetadataRequest("169.254.169.254").http.bypass_proxy);
  EXPECT_TRUE(SubjectTokenRequest({.url = "http://169.254.169.254/x"}).http.bypass_proxy);
  EXPECT_FALSE(SubjectTokenRequest({.url = "https://issuer/x"}).http.bypass_proxy);
  EXPECT_TRUE(RefreshRequest({.token_uri = "http://127.0.0.1:1/token"}).http.bypass_proxy);
  EXPECT_FALSE(RefreshRequest(kUser).http.bypass_proxy);
}

constexpr AccessToken::Time kDate = std::chrono::sys_days(std::chrono::November / 20 / 2026);

TEST(TokenAnswers, CarryTheTokensLifetime) {
  const auto token = ParseTokenAnswer(TokenAnswer("ya29.x", 3599), kDate);
  ASSERT_TRUE(token.ok());
  EXPECT_EQ(token->text, "ya29.x");
  EXPECT_EQ(token->expires, kDate + std::chrono::seconds(3599));
  EXPECT_TRUE(ParseTokenAnswer({.body = R"({"access_token":"t","expires_in":"60"})"}, kDate).ok());
  const auto impersonated =
      ParseImpersonationAnswer({.body = R"({"accessToken":"t","expireTime":"2026-11-20T01:00:00Z"})"}, kDate);
  ASSERT_TRUE(impersonated.ok());
  EXPECT_EQ(impersonated->expires, kDate + std::chrono::hours(1));
}

TEST(TokenAnswers, AreRefusedIfMalformed) {
  for (const char* body :
       {"", "<html>Please log in</html>", "[]", "{}", R"({"access_token":1,"expires_in":60})",
        R"({"access_token":"","expires_in":60})", R"({"access_token":"a b","expires_in":60})",
        R"({"access_token":"a\r\nX: y","expires_in":60})", R"({"access_token":"secret"})",
        R"({"access_token":"secret","expires_in":0})", R"({"access_token":"secret","expires_in":-5})",
        R"({"access_token":"secret","expires_in":1e99})", R"({"access_token":"secret","expires_in":99999999999})",
        R"({"access_token":"secret","expires_in":"1h"})"}) {
    const auto token = ParseTokenAnswer({.status = 200, .body = body}, kDate);
    EXPECT_TRUE(
        testing::FailsWith(token, ErrorCode::kBadResponse, AllOf(Not(HasSubstr("secret")), Not(HasSubstr("html")))))
        << body;
  }
  for (const char* body : {"{}", R"({"accessToken":"t"})", R"({"accessToken":"t","expireTime":"soon"})",
                           R"({"accessToken":"t","expireTime":"2026-11-20T00:00:00Z"})"}) {
    EXPECT_EQ(testing::ErrorOf(ParseImpersonationAnswer({.body = body}, kDate)).code, ErrorCode::kBadResponse) << body;
  }
}

TEST(TokenAnswers, EndWithTheirLastByte) {
  HttpResponse answer = TokenAnswer("t", 60);
  ASSERT_TRUE(ParseTokenAnswer(answer, kDate).ok());
  answer.body += '\0';
  EXPECT_EQ(testing::ErrorOf(ParseTokenAnswer(answer, kDate)).code, ErrorCode::kBadResponse);
  HttpResponse signature{.status = 200, .body = R"({"signedBlob":"AAAA"})"};
  ASSERT_TRUE(ParseSignBlobAnswer(signature).ok());
  signature.body += '\0';
  EXPECT_EQ(testing::ErrorOf(ParseSignBlobAnswer(signature)).code, ErrorCode::kBadResponse);
}

TEST(TokenAnswers, NeedTheFlavorHeaderOfTheMetadataServer) {
  HttpResponse answer = TokenAnswer("t", 60);
  EXPECT_FALSE(ParseMetadataAnswer(answer, kDate).ok()) << "other clouds answer at that address too";
  answer.headers = {{"metadata-flavor", "Google"}};
  EXPECT_TRUE(ParseMetadataAnswer(answer, kDate).ok());
}

TEST(ParseSubjectToken, ReadsTextAndJson) {
  EXPECT_EQ(*ParseSubjectToken("eyJ.a.b\n", ""), "eyJ.a.b");
  EXPECT_EQ(*ParseSubjectToken(R"({"id":"eyJ","x":1})", "id"), "eyJ");
  for (const auto& [text, field] : {std::pair("", ""), std::pair("\n", ""), std::pair("{}", "id"),
                                    std::pair(R"({"id":1})", "id"), std::pair("secret", "id")}) {
    const auto token = ParseSubjectToken(text, field);
    ASSERT_FALSE(token.ok()) << text;
    EXPECT_THAT(token.error().message, Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace gcsflux::internal
