// Every kind of credential against the emulator's token endpoints, over TLS: each token grants exactly the rights of
// its owner.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/credential_files.h"
#include "auth/identity_service.h"
#include "auth/parse_credentials.h"
#include "auth/token_service.h"
#include "auth/token_source.h"
#include "support/fails_with.h"

namespace gcsflux::internal {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class EmulatorTokensTest : public ::testing::Test {
 protected:
  void SetUp() override {
    json admin = testing::ServiceAccountFile(service_.endpoint());
    admin["client_email"] = emulator::kAdminEmail;
    admin_ = Fetch(admin)->text;
    ASSERT_EQ(Call(Method::kPost, "/storage/v1/b?project=p", admin_, R"({"name":"bucket"})"), 200);
    ASSERT_EQ(Call(Method::kPost, "/upload/storage/v1/b/bucket/o?uploadType=media&name=o", admin_, "0123456789"), 200);
  }

  Result<AccessToken> Fetch(const json& file, bool exchanges_signatures = false) {
    const auto config = ParseCredentials(file.dump());
    if (!config) return config.error();
    return FetchBy(*config, exchanges_signatures);
  }
  Result<AccessToken> FetchBy(const CredentialConfig& config, bool exchanges_signatures = false) {
    return MakeTokenSource(config, exchanges_signatures)->Fetch({*transport_, timing_, {}, {}});
  }

  // The status of an answer to the bearer of `token`.
  int Call(Method method, const std::string& target, const std::string& token, const std::string& body = "") {
    const HttpRequest request{.method = method,
                              .url = service_.endpoint() + target,
                              .headers = {{"Authorization", "Bearer " + token}, {"Content-Type", "application/json"}},
                              .head = body};
    const auto response = transport_->Perform(request, nullptr, {});
    EXPECT_TRUE(response.ok()) << response.error().message;
    return response ? response->status : 0;
  }
  int Read(const std::string& token) { return Call(Method::kGet, "/storage/v1/b/bucket/o/o", token); }
  int Overwrite(const std::string& token) {
    return Call(Method::kPost, "/upload/storage/v1/b/bucket/o?uploadType=media&name=o", token, "9");
  }
  // The owner of the bearer token by its rights: the viewer reads, the user writes as well.
  void ExpectViewer(const Result<AccessToken>& token) {
    ASSERT_TRUE(token.ok()) << token.error().message;
    EXPECT_EQ(Read(token->text), 200);
    EXPECT_EQ(Overwrite(token->text), 403);
  }
  void ExpectUser(const Result<AccessToken>& token) {
    ASSERT_TRUE(token.ok()) << token.error().message;
    EXPECT_EQ(Read(token->text), 200);
    EXPECT_EQ(Overwrite(token->text), 200);
  }

  json WorkloadWith(const json& source) {
    json file = testing::ExternalAccountFile(service_.endpoint());
    file["credential_source"] = source;
    file["service_account_impersonation_url"] = testing::ImpersonationUrl(service_.endpoint(), emulator::kViewerEmail);
    return file;
  }

  testing::IdentityService service_;
  testing::EmulatorTiming timing_{service_.emulator()};
  std::unique_ptr<Transport> transport_ = service_.MakeTransport();
  std::string admin_;
};

TEST_F(EmulatorTokensTest, ServiceAccountExchangesASignedAssertion) {
  const auto before = service_.Count("oauth2.token");
  const auto token = Fetch(testing::ServiceAccountFile(service_.endpoint()));
  ExpectViewer(token);
  EXPECT_EQ(service_.Count("oauth2.token"), before + 1);
  EXPECT_EQ(token->expires, service_.emulator().clock().Now() + seconds(1000));
  service_.emulator().clock().Advance(seconds(1000));
  EXPECT_EQ(Read(token->text), 401);
}

TEST_F(EmulatorTokensTest, GoogleServiceAccountUsesASelfSignedToken) {
  json file = testing::ServiceAccountFile(service_.endpoint());
  file["token_uri"] = "https://oauth2.googleapis.com/token";
  const auto before = service_.Count("oauth2.token");
  ExpectViewer(Fetch(file));
  EXPECT_EQ(service_.Count("oauth2.token"), before) << "no endpoint is asked";
}

TEST(ServiceAccountTokens, AreRequestedFromGoogleIfConfigured) {
  testing::TokenService google([](const HttpRequest&) { return testing::TokenAnswer("t", 3600); });
  const testing::DrivenTiming timing;
  json file = testing::ServiceAccountFile("https://127.0.0.1:9");
  file["token_uri"] = "https://oauth2.googleapis.com/token";
  const auto config = ParseCredentials(file.dump());
  const auto token = MakeTokenSource(*config, /*exchanges_signatures=*/true)->Fetch({google, timing, {}, {}});
  ASSERT_TRUE(token.ok());
  EXPECT_EQ(token->text, "t");
  ASSERT_EQ(google.requests().size(), 1U);
  EXPECT_EQ(google.requests()[0].url, "https://oauth2.googleapis.com/token");
  EXPECT_THAT(google.requests()[0].head, HasSubstr("assertion=eyJ"));
}

TEST_F(EmulatorTokensTest, AuthorizedUserRefreshesItsToken) {
  ExpectUser(Fetch(testing::AuthorizedUserFile(service_.endpoint())));
}

TEST_F(EmulatorTokensTest, ImpersonationYieldsTheOtherAccount) {
  ExpectUser(Fetch(testing::ImpersonatedFile(service_.endpoint())));
  json file = testing::ImpersonatedFile(service_.endpoint());
  file["service_account_impersonation"]["token_lifetime_seconds"] = 600;
  const auto token = Fetch(file);
  ASSERT_TRUE(token.ok()) << token.error().message;
  EXPECT_EQ(std::chrono::floor<seconds>(token->expires),
            std::chrono::floor<seconds>(service_.emulator().clock().Now() + seconds(600)));
}

TEST_F(EmulatorTokensTest, ImpersonationUsesItsDelegates) {
  // The workload may be the viewer, and the viewer the user.
  json file = WorkloadWith({{"file", service_.directory().Write("token", emulator::kSubjectToken)}});
  file["service_account_impersonation_url"] = testing::ImpersonationUrl(service_.endpoint(), emulator::kUserEmail);
  EXPECT_TRUE(testing::FailsWith(Fetch(file), ErrorCode::kUnauthenticated, HasSubstr("PERMISSION_DENIED")));
  file["delegates"] = {emulator::kViewerEmail};
  ExpectUser(Fetch(file));
}

TEST_F(EmulatorTokensTest, ExternalAccountReadsItsTokenFileForEachFetch) {
  const json file = WorkloadWith({{"file", service_.directory().Write("token", "outdated")}});
  EXPECT_TRUE(testing::FailsWith(Fetch(file), ErrorCode::kUnauthenticated,
                                 AllOf(HasSubstr("/v1/token: 400 invalid_grant"), Not(HasSubstr("outdated")))));
  static_cast<void>(service_.directory().Write("token", std::string(emulator::kSubjectToken) + "\n"));
  ExpectViewer(Fetch(file));
  const std::string as_json = json{{"value", emulator::kSubjectToken}}.dump();
  ExpectViewer(Fetch(WorkloadWith({{"file", service_.directory().Write("token.json", as_json)},
                                   {"format", {{"type", "json"}, {"subject_token_field_name", "value"}}}})));
}

TEST_F(EmulatorTokensTest, ExternalAccountFetchesItsTokenFromAUrl) {
  // An object of the emulator's, which asks for a header of the account's.
  const auto put = [&](const std::string& name, const std::string& content) {
    ASSERT_EQ(Call(Method::kPost, "/upload/storage/v1/b/bucket/o?uploadType=media&name=" + name, admin_, content), 200);
  };
  put("text", emulator::kSubjectToken);
  put("json", json{{"id_token", emulator::kSubjectToken}}.dump());
  json source = {{"url", service_.endpoint() + "/storage/v1/b/bucket/o/text?alt=media"},
                 {"headers", {{"Authorization", "Bearer " + admin_}}}};
  ExpectViewer(Fetch(WorkloadWith(source)));
  source["url"] = service_.endpoint() + "/storage/v1/b/bucket/o/json?alt=media";
  source["format"] = {{"type", "json"}, {"subject_token_field_name", "id_token"}};
  ExpectViewer(Fetch(WorkloadWith(source)));
  source["headers"]["Authorization"] = "Bearer wrong";
  EXPECT_TRUE(testing::FailsWith(Fetch(WorkloadWith(source)), ErrorCode::kUnauthenticated,
                                 HasSubstr("/storage/v1/b/bucket/o/json: 401")));
}

TEST_F(EmulatorTokensTest, LimitsTheSizeOfAnAnswer) {
  const std::string target = "/upload/storage/v1/b/bucket/o?uploadType=media&name=huge";
  ASSERT_EQ(Call(Method::kPost, target, admin_, std::string(2 << 20, 'x')), 200);
  const auto token = Fetch(WorkloadWith({{"url", service_.endpoint() + "/storage/v1/b/bucket/o/huge?alt=media"},
                                         {"headers", {{"Authorization", "Bearer " + admin_}}}}));
  EXPECT_TRUE(testing::FailsWith(token, ErrorCode::kBadResponse, HasSubstr("larger than 1 MiB")));
}

TEST_F(EmulatorTokensTest, ExternalAccountWorksWithoutImpersonation) {
  json file = WorkloadWith({{"file", service_.directory().Write("token", emulator::kSubjectToken)}});
  file.erase("service_account_impersonation_url");
  const auto token = Fetch(file);
  ASSERT_TRUE(token.ok()) << token.error().message;
  EXPECT_EQ(Read(token->text), 403) << "known, but without a role";
}

TEST_F(EmulatorTokensTest, NamesAMissingTokenFile) {
  const auto token = Fetch(WorkloadWith({{"file", "/nonexistent/token"}}));
  EXPECT_TRUE(testing::FailsWith(token, ErrorCode::kLocalIo, HasSubstr("/nonexistent/token")));
}

TEST_F(EmulatorTokensTest, RefusedRefreshNamesTheServerAndTheRemedy) {
  json file = testing::AuthorizedUserFile(service_.endpoint());
  file["refresh_token"] = "1//revoked-long-ago";
  const auto before = service_.Count("oauth2.token");
  const auto token = Fetch(file);
  ASSERT_TRUE(testing::FailsWith(token, ErrorCode::kUnauthenticated));
  EXPECT_EQ(token.error().reason, "invalid_grant");
  EXPECT_THAT(token.error().message,
              AllOf(HasSubstr(service_.endpoint() + "/token: 400 invalid_grant"),
                    HasSubstr("gcloud auth application-default login"), Not(HasSubstr("revoked-long-ago"))));
  EXPECT_EQ(service_.Count("oauth2.token"), before + 1) << "a refusal is not repeated";
}

TEST_F(EmulatorTokensTest, SendsNothingWithAnUntrustedCertificate) {
  const auto stranger = MakeCurlTransport({});
  const auto config = ParseCredentials(testing::AuthorizedUserFile(service_.endpoint()).dump());
  const auto before = service_.Count("oauth2.token");
  const auto token = MakeTokenSource(*config, false)->Fetch({*stranger, timing_, {}, {}});
  ASSERT_TRUE(testing::FailsWith(token, ErrorCode::kTlsFailed));
  EXPECT_EQ(service_.Count("oauth2.token"), before);
}

TEST(MetadataTokensTest, MetadataServerGivesTheMachinesServiceAccount) {
  testing::IdentityService service(/*is_tls=*/false);
  const testing::EmulatorTiming timing(service.emulator());
  const auto transport = service.MakeTransport();
  const auto source = MakeTokenSource({.kind = MetadataServer{service.host(), "nowhere else"}}, false);
  const auto token = source->Fetch({*transport, timing, {}, {}});
  ASSERT_TRUE(token.ok()) << token.error().message;
  EXPECT_EQ(token->expires, service.emulator().clock().Now() + seconds(1000));
  EXPECT_EQ(service.Count("computeMetadata.get"), 1U);
}

}  // namespace
}  // namespace gcsflux::internal
