#include "auth/parse_credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "auth/credential_files.h"
#include "emulator/support/crypto_fixtures.h"
#include "emulator/support/identity_fixture.h"
#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux::internal {
namespace {

using emulator::TestKey;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kHere = "https://127.0.0.1:9";

// The kind of credential in `file`; fails the test if it is another kind, or refused.
template <class Kind>
Kind Read(const json& file) {
  const auto config = ParseCredentials(file.dump());
  EXPECT_TRUE(config.ok()) << config.error().message;
  if (!config || !std::holds_alternative<Kind>(config->kind)) {
    ADD_FAILURE() << "another kind";
    return {};
  }
  return std::get<Kind>(config->kind);
}

TEST(ParseCredentials, ReadsAServiceAccountsKey) {
  const auto key = Read<ServiceAccountKey>(testing::ServiceAccountFile(kHere));
  EXPECT_EQ(key.client_email, emulator::kViewerEmail);
  EXPECT_EQ(key.private_key_id, "key-1");
  EXPECT_EQ(key.token_uri, "https://127.0.0.1:9/token");
  EXPECT_NE(key.private_key, nullptr);
}

TEST(ParseCredentials, ReadsAnAuthorizedUserAsGcloudWritesIt) {
  json file = testing::AuthorizedUserFile(kHere);
  file.erase("token_uri");  // gcloud writes none
  file["account"] = "";
  file["quota_project_id"] = "payer";
  const auto user = Read<AuthorizedUser>(file);
  EXPECT_EQ(user.client_id, "client");
  EXPECT_EQ(user.refresh_token, emulator::kRefreshToken);
  EXPECT_EQ(user.token_uri, "https://oauth2.googleapis.com/token");
  EXPECT_EQ(ParseCredentials(file.dump())->quota_project_id, "payer");
}

TEST(ParseCredentials, ReadsAnImpersonatedServiceAccount) {
  json file = testing::ImpersonatedFile(kHere);
  file["delegates"] = {"a@p", "b@p"};
  file["service_account_impersonation"]["token_lifetime_seconds"] = 1200;
  const auto account = Read<ImpersonatedServiceAccount>(file);
  EXPECT_THAT(account.impersonation.url, HasSubstr(emulator::kUserEmail));
  EXPECT_THAT(account.impersonation.delegates, ElementsAre("a@p", "b@p"));
  EXPECT_EQ(account.impersonation.lifetime, std::chrono::seconds(1200));
  EXPECT_TRUE(std::holds_alternative<ServiceAccountKey>(account.source->kind));
}

TEST(ParseCredentials, ReadsAnExternalAccountWithAFileOrAUrl) {
  json file = testing::ExternalAccountFile(kHere);
  file["credential_source"] = {{"file", "/var/run/token"}};
  const auto of_file = Read<ExternalAccount>(file);
  EXPECT_EQ(of_file.source.file, "/var/run/token");
  EXPECT_EQ(of_file.source.json_field, "");
  EXPECT_FALSE(of_file.impersonation);
  file["credential_source"] = {{"url", "http://169.254.169.254/token"},
                               {"headers", {{"Metadata", "True"}}},
                               {"format", {{"type", "json"}, {"subject_token_field_name", "access_token"}}}};
  file["service_account_impersonation_url"] = testing::ImpersonationUrl(kHere, "a@p");
  const auto of_url = Read<ExternalAccount>(file);
  EXPECT_EQ(of_url.source.url, "http://169.254.169.254/token");
  EXPECT_THAT(of_url.source.headers, ElementsAre(std::pair(std::string("Metadata"), std::string("True"))));
  EXPECT_EQ(of_url.source.json_field, "access_token");
  EXPECT_EQ(of_url.impersonation->lifetime, std::chrono::seconds(3600));
}

TEST(ParseCredentials, AcceptsAUserProjectOnlyForWorkforcePools) {
  json file = testing::ExternalAccountFile(kHere);
  file["credential_source"] = {{"file", "/token"}};
  file["workforce_pool_user_project"] = "123";
  EXPECT_FALSE(ParseCredentials(file.dump()).ok());
  file["audience"] = "//iam.googleapis.com/locations/global/workforcePools/pool/providers/provider";
  EXPECT_EQ(Read<ExternalAccount>(file).workforce_pool_user_project, "123");
}

struct Broken {
  const char* name;
  std::function<void(json&)> change;
  const char* member;  // that the message names
};

void ExpectRefused(const json& good, const std::vector<Broken>& cases) {
  ASSERT_TRUE(ParseCredentials(good.dump()).ok()) << ParseCredentials(good.dump()).error().message;
  for (const Broken& broken : cases) {
    json file = good;
    broken.change(file);
    const auto config = ParseCredentials(file.dump());
    ASSERT_TRUE(testing::FailsWith(config, ErrorCode::kInvalidArgument, HasSubstr(broken.member))) << broken.name;
    for (const char* secret : {emulator::kClientSecret, emulator::kRefreshToken, "PRIVATE KEY", "evil-secret"}) {
      EXPECT_THAT(config.error().message, Not(HasSubstr(secret))) << broken.name;
    }
  }
}

TEST(ParseCredentials, NamesTheWrongFieldOfAKeyWithoutItsContent) {
  ExpectRefused(testing::ServiceAccountFile(kHere),
                {{"no type", [](json& f) { f.erase("type"); }, "type"},
                 {"unknown type", [](json& f) { f["type"] = "gdch_service_account"; }, "service_account"},
                 {"no email", [](json& f) { f.erase("client_email"); }, "client_email"},
                 {"empty email", [](json& f) { f["client_email"] = ""; }, "client_email"},
                 {"email no text", [](json& f) { f["client_email"] = 1; }, "client_email"},
                 {"no key", [](json& f) { f.erase("private_key"); }, "private_key"},
                 {"key no PEM", [](json& f) { f["private_key"] = "evil-secret"; }, "private_key"},
                 {"cut key", [](json& f) { f["private_key"] = TestKey(1).private_key.substr(0, 800); }, "private_key"},
                 {"public key", [](json& f) { f["private_key"] = TestKey(1).public_key; }, "private_key"},
                 {"elliptic key", [](json& f) { f["private_key"] = emulator::MakeCertificate().private_key; }, "RSA"},
                 {"plain http", [](json& f) { f["token_uri"] = "http://oauth2.googleapis.com/token"; }, "token_uri"},
                 {"foreign host", [](json& f) { f["token_uri"] = "https://example.com/token"; }, "token_uri"},
                 {"quota header", [](json& f) { f["quota_project_id"] = "a\r\nevil: x"; }, "quota_project_id"},
                 {"universe", [](json& f) { f["universe_domain"] = "example.com"; }, "universe_domain"}});
}

TEST(ParseCredentials, NamesTheWrongFieldOfAUser) {
  ExpectRefused(testing::AuthorizedUserFile(kHere),
                {{"no id", [](json& f) { f.erase("client_id"); }, "client_id"},
                 {"no secret", [](json& f) { f.erase("client_secret"); }, "client_secret"},
                 {"no token", [](json& f) { f.erase("refresh_token"); }, "refresh_token"},
                 {"null token", [](json& f) { f["refresh_token"] = nullptr; }, "refresh_token"}});
}

TEST(ParseCredentials, NamesTheWrongFieldOfAnImpersonation) {
  ExpectRefused(
      testing::ImpersonatedFile(kHere),
      {{"no url", [](json& f) { f.erase("service_account_impersonation_url"); }, "service_account_impersonation_url"},
       {"foreign url",
        [](json& f) { f["service_account_impersonation_url"] = testing::ImpersonationUrl("https://evil.com", "a@p"); },
        "service_account_impersonation_url"},
       {"no source", [](json& f) { f.erase("source_credentials"); }, "source_credentials"},
       {"source wrong", [](json& f) { f["source_credentials"].erase("private_key"); }, "private_key"},
       {"source impersonated", [](json& f) { f["source_credentials"] = json(f); }, "delegates"},
       {"delegate wrong", [](json& f) { f["delegates"] = {1}; }, "delegates"},
       {"lifetime", [](json& f) { f["service_account_impersonation"]["token_lifetime_seconds"] = 43201; },
        "service_account_impersonation.token_lifetime_seconds"}});
}

TEST(ParseCredentials, RefusesExternalAccountsWithForeignUrls) {
  json good = testing::ExternalAccountFile(kHere);
  good["credential_source"] = {{"file", "/token"}};
  ExpectRefused(
      good,
      {{"no audience", [](json& f) { f.erase("audience"); }, "audience"},
       {"no token_url", [](json& f) { f.erase("token_url"); }, "token_url"},
       {"foreign token_url", [](json& f) { f["token_url"] = "https://evil.com/v1/token"; }, "token_url"},
       {"plain token_url", [](json& f) { f["token_url"] = "http://sts.googleapis.com/v1/token"; }, "token_url"},
       {"foreign impersonation",
        [](json& f) { f["service_account_impersonation_url"] = testing::ImpersonationUrl("https://evil.com", "a@p"); },
        "service_account_impersonation_url"},
       {"no source", [](json& f) { f.erase("credential_source"); }, "credential_source"},
       {"empty source", [](json& f) { f["credential_source"] = json::object(); }, "credential_source.file"},
       {"two sources", [](json& f) { f["credential_source"]["url"] = "https://a/b"; }, "credential_source.file"},
       {"plain url",
        [](json& f) {
          f["credential_source"] = {{"url", "http://evil.com"}};
        },
        "credential_source.url"},
       {"a command",
        [](json& f) {
          f["credential_source"]["executable"] = {{"command", "rm"}};
        },
        "credential_source.executable"},
       {"aws",
        [](json& f) {
          f["credential_source"] = {{"environment_id", "aws1"}};
        },
        "environment_id"},
       {"format",
        [](json& f) {
          f["credential_source"]["format"] = {{"type", "xml"}};
        },
        "format.type"},
       {"no field",
        [](json& f) {
          f["credential_source"]["format"] = {{"type", "json"}};
        },
        "subject_token_field_name"},
       {"header injection",
        [](json& f) {
          f["credential_source"]["headers"] = {{"A", "b\r\nevil-secret: c"}};
        },
        "credential_source.headers"}});
}

TEST(ParseCredentials, SurvivesEveryChangedByte) {
  json external = testing::ExternalAccountFile(kHere);
  external["credential_source"] = {{"url", "https://a/b"}, {"headers", {{"X", "evil-secret"}}}};
  for (const json& file : {testing::ServiceAccountFile(kHere), testing::AuthorizedUserFile(kHere),
                           testing::ImpersonatedFile(kHere), external}) {
    const std::string good = file.dump();
    for (std::size_t i = 0; i < good.size(); ++i) {
      const std::string instead = {'\0', '"', '{', ']', '\\', '\xFF', static_cast<char>(good[i] ^ 1)};
      std::string text = good;
      text[i] = instead[i % instead.size()];
      const auto config = ParseCredentials(text);
      const std::string said = config ? "" : config.error().message;
      ASSERT_THAT(said, Not(HasSubstr("secret-of"))) << i;
      ASSERT_THAT(said, Not(HasSubstr("refresh-token-of"))) << i;
      ASSERT_THAT(said, Not(HasSubstr("evil-secret"))) << i;
      ASSERT_FALSE(ParseCredentials(good.substr(0, i)).ok()) << i;
    }
  }
}

TEST(ParseCredentials, RefusesInvalidJsonWithoutQuotingIt) {
  for (const char* text : {"", "evil-secret", "[]", "\"evil-secret\"", "{\"type\": \"evil-secret", "{\"a\":\"\xFF\"}",
                           "{} evil-secret", "\x1F\x8B\x08"}) {
    EXPECT_TRUE(testing::FailsWith(ParseCredentials(text), ErrorCode::kInvalidArgument, Not(HasSubstr("evil-secret"))))
        << text;
  }
}

TEST(ParseCredentials, RefusesTextAfterAZeroByte) {
  const std::string key = R"({"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r"})";
  ASSERT_TRUE(ParseCredentials(key).ok());
  EXPECT_EQ(testing::ErrorOf(ParseCredentials(key + '\0')).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(testing::ErrorOf(ParseCredentials(key + '\0' + "{}")).code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace gcsflux::internal
