// Grants, tokens and roles, without HTTP and on a driven clock.

#include "identity/identity.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emulator/support/crypto_fixtures.h"
#include "emulator/support/identity_fixture.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;
using std::chrono::hours;
using std::chrono::seconds;

constexpr auto kTokenUrl = "https://emulator.test/token";
constexpr auto kServiceUrl = "https://emulator.test/";

class IdentityTest : public ::testing::Test {
 protected:
  [[nodiscard]] json Claims(const char* email) const {
    return {{"iss", email}, {"iat", SecondsOf(now_)}, {"exp", SecondsOf(now_) + 3600}};
  }
  [[nodiscard]] static std::string Sign(const json& claims) {
    return SignedJwt({{"alg", "RS256"}, {"kid", "key-1"}}, claims, TestKey(1).private_key);
  }
  // The principal of a token, or "".
  std::string Holder(const std::string& token) const {
    const std::optional<Principal> principal = identity_.Authenticate(token, kServiceUrl);
    return principal ? principal->name : "";
  }
  static std::string ErrorOf(const Grant& grant) { return grant ? "granted" : grant.error().error; }

  Time now_ = Time(seconds(1'795'000'000));
  Identity identity_{ParseIdentityConfig(IdentityConfigText()), [this] { return now_; }};
};

TEST_F(IdentityTest, ExchangesAnAssertion) {
  for (const char* audience : {"https://oauth2.googleapis.com/token", "https://www.googleapis.com/oauth2/v4/token",
                               "https://accounts.google.com/o/oauth2/token", kTokenUrl}) {
    json claims = Claims(kViewerEmail);
    claims["aud"] = audience;
    claims["scope"] = kReadOnly;
    const Grant grant = identity_.ExchangeAssertion(Sign(claims), kTokenUrl);
    ASSERT_TRUE(grant) << audience << grant.error().description;
    EXPECT_EQ(Holder(grant->text), kViewerEmail);
    EXPECT_EQ(identity_.Authenticate(grant->text, "")->scopes, kReadOnly);
    EXPECT_EQ(grant->lifetime, seconds(1000));
  }
}

TEST_F(IdentityTest, RefusesAnAssertionForAnotherAudience) {
  json claims = Claims(kViewerEmail);
  claims["aud"] = kTokenUrl;
  EXPECT_EQ(ErrorOf(identity_.ExchangeAssertion(Sign(claims), kTokenUrl)), "invalid_scope");
  claims["scope"] = kReadOnly;
  for (const char* audience : {"", "https://storage.googleapis.com/", "https://emulator.test/token/", kServiceUrl}) {
    claims["aud"] = audience;
    EXPECT_EQ(ErrorOf(identity_.ExchangeAssertion(Sign(claims), kTokenUrl)), "invalid_grant") << audience;
  }
  claims["aud"] = kTokenUrl;
  claims["sub"] = kPersonEmail;
  EXPECT_EQ(ErrorOf(identity_.ExchangeAssertion(Sign(claims), kTokenUrl)), "unauthorized_client");
  claims.erase("sub");
  now_ += hours(1);
  EXPECT_EQ(ErrorOf(identity_.ExchangeAssertion(Sign(claims), kTokenUrl)), "invalid_grant");
}

TEST_F(IdentityTest, AcceptsASelfSignedTokenWithAudienceOrScope) {
  json claims = Claims(kViewerEmail);
  claims["sub"] = kViewerEmail;
  for (const char* audience : {"https://storage.googleapis.com/", kServiceUrl}) {
    claims["aud"] = audience;
    EXPECT_EQ(Holder(Sign(claims)), kViewerEmail) << audience;
    EXPECT_EQ(identity_.Authenticate(Sign(claims), kServiceUrl)->scopes, kCloudPlatform);
  }
  claims.erase("aud");
  EXPECT_EQ(Holder(Sign(claims)), "");
  claims["scope"] = kReadOnly;
  EXPECT_EQ(Holder(Sign(claims)), kViewerEmail);
  EXPECT_EQ(identity_.Authenticate(Sign(claims), kServiceUrl)->scopes, kReadOnly);
}

TEST_F(IdentityTest, RefusesASelfSignedTokenOfAnotherAccount) {
  json claims = Claims(kViewerEmail);
  claims["sub"] = kViewerEmail;
  claims["aud"] = "https://storage.googleapis.com/";
  const std::string good = Sign(claims);
  ASSERT_EQ(Holder(good), kViewerEmail);
  const std::string stranger = SignedJwt({{"alg", "RS256"}, {"kid", "key-1"}}, claims, TestKey(2).private_key);
  EXPECT_EQ(Holder(stranger), "");
  const std::string none = UnsignedJwt({{"alg", "none"}}, claims) + ".";
  EXPECT_EQ(Holder(none), "");
  for (const char* audience : {"https://pubsub.googleapis.com/", "https://storage.googleapis.com/x", ""}) {
    claims["aud"] = audience;
    EXPECT_EQ(Holder(Sign(claims)), "") << audience;
  }
  claims["aud"] = "https://storage.googleapis.com/";
  claims["sub"] = kAdminEmail;
  EXPECT_EQ(Holder(Sign(claims)), "");
  claims.erase("sub");
  EXPECT_EQ(Holder(Sign(claims)), "");
  now_ += hours(1);
  EXPECT_EQ(Holder(good), "") << "expired";
}

TEST_F(IdentityTest, RefreshesAUsersToken) {
  const Grant grant = identity_.Refresh({"client", kClientSecret, kRefreshToken, ""});
  ASSERT_TRUE(grant);
  EXPECT_EQ(Holder(grant->text), kPersonEmail);
  EXPECT_EQ(identity_.Authenticate(grant->text, "")->scopes, kCloudPlatform);
  const Grant narrow = identity_.Refresh({"client", kClientSecret, kRefreshToken, kReadOnly});
  EXPECT_EQ(identity_.Authenticate(narrow->text, "")->scopes, kReadOnly);
}

TEST_F(IdentityTest, RefusesToRefreshForOthers) {
  EXPECT_EQ(ErrorOf(identity_.Refresh({"other", kClientSecret, kRefreshToken, ""})), "invalid_client");
  EXPECT_EQ(ErrorOf(identity_.Refresh({"client", "guess", kRefreshToken, ""})), "invalid_client");
  EXPECT_EQ(ErrorOf(identity_.Refresh({"client", "guess", "guess", ""})), "invalid_client");
  EXPECT_EQ(ErrorOf(identity_.Refresh({"client", kClientSecret, "revoked", ""})), "invalid_grant");
  EXPECT_EQ(ErrorOf(identity_.Refresh({})), "invalid_client");
}

TEST_F(IdentityTest, ExchangesASubjectToken) {
  const std::string jwt = "urn:ietf:params:oauth:token-type:jwt";
  const Grant grant = identity_.ExchangeSubjectToken({kAudience, kSubjectToken, jwt, kCloudPlatform});
  ASSERT_TRUE(grant);
  EXPECT_EQ(Holder(grant->text), kWorkload);
  EXPECT_EQ(ErrorOf(identity_.ExchangeSubjectToken({"//other", kSubjectToken, jwt, kCloudPlatform})), "invalid_target");
  EXPECT_EQ(ErrorOf(identity_.ExchangeSubjectToken({kAudience, "other", jwt, kCloudPlatform})), "invalid_grant");
  EXPECT_EQ(ErrorOf(identity_.ExchangeSubjectToken({kAudience, kSubjectToken, "x", kCloudPlatform})),
            "invalid_request");
  EXPECT_EQ(ErrorOf(identity_.ExchangeSubjectToken({kAudience, kSubjectToken, jwt, ""})), "invalid_request");
}

TEST_F(IdentityTest, ImpersonatesOnlyPermittedAccounts) {
  const Principal workload{kWorkload, kCloudPlatform};
  const Grant grant = identity_.Impersonate(workload, {.service_account = kViewerEmail, .scope = kReadOnly});
  ASSERT_TRUE(grant);
  EXPECT_EQ(Holder(grant->text), kViewerEmail);
  EXPECT_EQ(ErrorOf(identity_.Impersonate(workload, {.service_account = kUserEmail, .scope = kReadOnly})),
            "PERMISSION_DENIED");
  const Grant chained =
      identity_.Impersonate(workload, {.service_account = kUserEmail, .delegates = {kViewerEmail}, .scope = kReadOnly});
  ASSERT_TRUE(chained) << "through the viewer";
  EXPECT_EQ(Holder(chained->text), kUserEmail);
  EXPECT_EQ(ErrorOf(identity_.Impersonate({kPersonEmail, kCloudPlatform},
                                          {.service_account = kViewerEmail, .scope = kReadOnly})),
            "PERMISSION_DENIED");
  EXPECT_EQ(ErrorOf(identity_.Impersonate(workload, {.service_account = "none@x", .scope = kReadOnly})),
            "PERMISSION_DENIED");
  EXPECT_EQ(ErrorOf(identity_.Impersonate(workload, {.service_account = kViewerEmail})), "INVALID_ARGUMENT");
  for (const seconds lifetime : {seconds(0), seconds(-1), seconds(3601)}) {
    EXPECT_EQ(ErrorOf(identity_.Impersonate(
                  workload, {.service_account = kViewerEmail, .scope = kReadOnly, .lifetime = lifetime})),
              "INVALID_ARGUMENT");
  }
}

TEST_F(IdentityTest, RequiresAScopeToImpersonate) {
  const Principal narrow{kWorkload, kReadOnly};
  EXPECT_EQ(ErrorOf(identity_.Impersonate(narrow, {.service_account = kViewerEmail, .scope = kCloudPlatform})),
            "PERMISSION_DENIED");
}

TEST_F(IdentityTest, ExpiresTokens) {
  const std::string token = identity_.IssueToMachine(kReadOnly).text;
  const Principal workload{kWorkload, kCloudPlatform};
  const std::string brief =
      identity_.Impersonate(workload, {.service_account = kViewerEmail, .scope = kReadOnly, .lifetime = seconds(10)})
          ->text;
  now_ += seconds(10) - std::chrono::milliseconds(1);
  EXPECT_EQ(Holder(brief), kViewerEmail);
  now_ += std::chrono::milliseconds(1);
  EXPECT_EQ(Holder(brief), "");
  now_ += seconds(989);
  EXPECT_EQ(Holder(token), kViewerEmail);
  now_ += seconds(1);
  EXPECT_EQ(Holder(token), "");
}

TEST_F(IdentityTest, IssuesUnguessableTokens) {
  std::set<std::string> tokens;
  for (int i = 0; i < 3000; ++i) tokens.insert(identity_.IssueToMachine(kReadOnly).text);
  EXPECT_EQ(tokens.size(), 3000U);
  for (const std::string& token : tokens) ASSERT_EQ(token.size(), 48U);
  EXPECT_EQ(Holder(*tokens.begin()), kViewerEmail) << "none is lost to the sweep of expired ones";
  EXPECT_EQ(Holder(tokens.begin()->substr(0, 47)), "");
  EXPECT_EQ(Holder(""), "");
}

TEST_F(IdentityTest, GrantsRolesByBucket) {
  const auto may = [&](const char* who, const char* bucket, Permission permission) {
    return identity_.PermissionsOn(bucket, Principal{who, ""}).Has(permission);
  };
  EXPECT_TRUE(may(kViewerEmail, "bucket", Permission::kObjectsGet));
  EXPECT_FALSE(may(kViewerEmail, "other", Permission::kObjectsGet));
  EXPECT_FALSE(may(kViewerEmail, "bucket", Permission::kObjectsCreate));
  EXPECT_FALSE(may(kViewerEmail, "bucket", Permission::kBucketsGet));
  EXPECT_TRUE(may(kCreatorEmail, "bucket", Permission::kObjectsCreate));
  EXPECT_FALSE(may(kCreatorEmail, "bucket", Permission::kObjectsDelete));
  EXPECT_FALSE(may(kCreatorEmail, "bucket", Permission::kObjectsGet));
  EXPECT_TRUE(may(kUserEmail, "bucket", Permission::kObjectsDelete));
  EXPECT_FALSE(may(kUserEmail, "bucket", Permission::kBucketsDelete));
  EXPECT_TRUE(may(kAdminEmail, "other", Permission::kBucketsDelete));
  EXPECT_TRUE(may(kAdminEmail, "", Permission::kBucketsCreate)) << "the project";
  EXPECT_FALSE(may(kUserEmail, "", Permission::kObjectsGet));
  EXPECT_TRUE(identity_.PermissionsOn("bucket", std::nullopt).empty());
}

TEST(Identity, GrantsTheRolesOfAllUsersToEachCaller) {
  const Identity identity(
      ParseIdentityConfig(R"({"roles":[{"principal":"allUsers","bucket":"public","role":"viewer"}]})"),
      [] { return Time(); });
  EXPECT_TRUE(identity.PermissionsOn("public", std::nullopt).Has(Permission::kObjectsGet));
  EXPECT_FALSE(identity.PermissionsOn("other", std::nullopt).Has(Permission::kObjectsGet));
}

TEST(Permissions, AreLimitedByScopes) {
  const auto within = [](const std::string& scopes, Permission permission) {
    return PermissionsWithin(scopes).Has(permission);
  };
  const std::string base = "https://www.googleapis.com/auth/";
  EXPECT_TRUE(within(base + "devstorage.read_only", Permission::kObjectsGet));
  EXPECT_FALSE(within(base + "devstorage.read_only", Permission::kObjectsCreate));
  EXPECT_TRUE(within(base + "devstorage.read_write", Permission::kObjectsCreate));
  EXPECT_FALSE(within(base + "devstorage.read_write", Permission::kObjectsUpdate));
  EXPECT_TRUE(within(base + "devstorage.full_control", Permission::kObjectsUpdate));
  EXPECT_TRUE(within("openid " + base + "cloud-platform", Permission::kBucketsDelete));
  EXPECT_FALSE(within(base + "cloud-platform.read-only", Permission::kBucketsDelete));
  EXPECT_FALSE(within("openid", Permission::kObjectsGet));
  EXPECT_FALSE(within("", Permission::kObjectsGet));
}

TEST(Permissions, AreFoundByTheirNames) {
  for (std::size_t i = 0; i < kPermissionCount; ++i) {
    const auto permission = static_cast<Permission>(i);
    EXPECT_EQ(FindPermission(NameOf(permission)), permission);
  }
  EXPECT_EQ(NameOf(Permission::kObjectsGet), "storage.objects.get");
  EXPECT_FALSE(FindPermission("storage.objects.fly"));
}

}  // namespace
}  // namespace gcsflux::emulator
