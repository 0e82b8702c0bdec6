// Events and counters of tokens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/token_cache.h"
#include "auth/token_service.h"
#include "support/recorded_events.h"

namespace gcsflux::internal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kTokenUrl = "https://oauth2.googleapis.com/token";

class TokenEvents : public ::testing::Test {
 protected:
  Result<TokenCache::TokenPtr> Get(const CredentialConfig& config, testing::TokenService& service) {
    TokenCache cache(MakeTokenSource(config, false), CredentialKindName(config));
    const TokenContext context{service, timing_, {.deadline = std::chrono::seconds(10)}, {}, &observer_};
    return cache.Get(context);
  }

  static CredentialConfig User() {
    return {.kind = AuthorizedUser{"client", "the-secret-of-it", "the-refresh-token", kTokenUrl}};
  }

  testing::DrivenTiming timing_;
  std::shared_ptr<testing::RecordedEvents> events_ = std::make_shared<testing::RecordedEvents>();
  Observer observer_{events_};
};

TEST_F(TokenEvents, ReportAFetchOnceWithTheTimeOfAllAttempts) {
  int answers = 0;
  testing::TokenService service([&](const HttpRequest&) -> Result<HttpResponse> {
    timing_.Advance(std::chrono::milliseconds(100));
    if (++answers <= 2) return HttpResponse{.status = 503};
    return testing::TokenAnswer("the-new-token", 3600);
  });
  ASSERT_TRUE(Get(User(), service).ok());
  ASSERT_EQ(events_->tokens.size(), 1U);
  EXPECT_EQ(events_->tokens.front().credential, "authorized user");
  EXPECT_FALSE(events_->tokens.front().failure);
  EXPECT_GT(events_->tokens.front().took, std::chrono::milliseconds(300)) << "three answers and two waits";
  EXPECT_EQ(observer_.counters().token_refreshes, 1U);
  EXPECT_EQ(observer_.counters().token_retries, 2U);
  EXPECT_EQ(observer_.counters().token_failures, 0U);
}

TEST_F(TokenEvents, ReportAFailedFetchWithoutSecrets) {
  testing::TokenService service([](const HttpRequest& request) -> Result<HttpResponse> {
    return HttpResponse{.status = 400,
                        .body = R"({"error":"invalid_grant","error_description":")" + request.head + "\"}"};
  });
  ASSERT_FALSE(Get(User(), service).ok());
  ASSERT_EQ(events_->tokens.size(), 1U);
  ASSERT_TRUE(events_->tokens.front().failure);
  EXPECT_EQ(events_->tokens.front().failure->code, ErrorCode::kUnauthenticated);
  EXPECT_THAT(events_->tokens.front().failure->message,
              ::testing::AllOf(Not(HasSubstr("the-refresh-token")), Not(HasSubstr("the-secret-of-it"))));
  EXPECT_EQ(observer_.counters().token_failures, 1U);
  EXPECT_EQ(observer_.counters().token_refreshes, 0U);
}

TEST_F(TokenEvents, ReportNothingForAFixedToken) {
  testing::TokenService service([](const HttpRequest&) { return HttpResponse{.status = 500}; });
  ASSERT_TRUE(Get({.kind = FixedToken{"the-only-token"}}, service).ok());
  EXPECT_TRUE(events_->tokens.empty());
  EXPECT_EQ(observer_.counters().token_refreshes, 0U);
}

TEST(CredentialKindName, NamesEachKind) {
  EXPECT_EQ(CredentialKindName({.kind = ServiceAccountKey{}}), "service account");
  EXPECT_EQ(CredentialKindName({.kind = MetadataServer{}}), "metadata server");
  EXPECT_EQ(CredentialKindName({.kind = ImpersonatedServiceAccount{}}), "impersonated service account");
  EXPECT_EQ(CredentialKindName({.kind = ExternalAccount{}}), "external account");
}

}  // namespace
}  // namespace gcsflux::internal
