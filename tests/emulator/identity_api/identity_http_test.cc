// Identities over HTTP: the endpoints that give out tokens, and the requests that need them.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "emulator/support/crypto_fixtures.h"
#include "emulator/support/identity_fixture.h"
#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"
#include "http/target.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr auto kReadObject = "/storage/v1/b/bucket/o/object?alt=media";
constexpr auto kFormType = "Content-Type: application/x-www-form-urlencoded\r\n";
constexpr auto kFlavor = "Metadata-Flavor: Google\r\n";

using Form = std::vector<std::pair<std::string, std::string>>;

std::string Encode(const Form& form) {
  std::string text;
  for (const auto& [name, value] : form) {
    text += (text.empty() ? "" : "&") + EncodeSegment(name) + "=" + EncodeSegment(value);
  }
  return text;
}

std::string Bearer(const std::string& token) { return "Authorization: Bearer " + token + "\r\n"; }

class IdentityHttpTest : public ::testing::Test {
 protected:
  void SetUp() override {
    emulator_.clock().Freeze();
    for (const char* bucket : {"bucket", "other"}) {
      ASSERT_EQ(Call("POST", "/storage/v1/b", As(kAdminEmail), json{{"name", bucket}}.dump()).status, 200);
      ASSERT_EQ(Insert(bucket, "object", kAdminEmail), 200);
    }
  }

  // A token that the account signed itself.
  [[nodiscard]] std::string SelfSigned(const std::string& email, json claims = {}) {
    const std::int64_t now = SecondsOf(emulator_.clock().Now());
    claims.update({{"iss", email}, {"sub", email}, {"iat", now}, {"exp", now + 3600}});
    if (!claims.contains("scope") && !claims.contains("aud")) claims["aud"] = "https://storage.googleapis.com/";
    return SignedJwt({{"alg", "RS256"}, {"kid", "key-1"}}, claims, TestKey(1).private_key);
  }
  [[nodiscard]] std::string As(const std::string& email) { return Bearer(SelfSigned(email)); }

  RawResponse Call(std::string_view method, std::string_view target, std::string_view headers = "",
                   std::string_view body = "") {
    return client_.Call(method, target, headers, body);
  }
  RawResponse Post(const std::string& target, const Form& form) {
    return Call("POST", target, kFormType, Encode(form));
  }
  int Insert(const std::string& bucket, const std::string& name, const std::string& who) {
    const std::string target = "/upload/storage/v1/b/" + bucket + "/o?uploadType=media&name=" + name;
    return Call("POST", target, As(who), "0123456789").status;
  }
  Form AssertionForm(json claims) {
    return {{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"},
            {"assertion", SelfSigned(kViewerEmail, claims)}};
  }
  static Form RefreshForm() {
    return {{"grant_type", "refresh_token"},
            {"client_id", "client"},
            {"client_secret", kClientSecret},
            {"refresh_token", kRefreshToken}};
  }
  static Form ExchangeForm() {
    return {{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
            {"audience", kAudience},
            {"scope", kCloudPlatform},
            {"requested_token_type", "urn:ietf:params:oauth:token-type:access_token"},
            {"subject_token", kSubjectToken},
            {"subject_token_type", "urn:ietf:params:oauth:token-type:jwt"}};
  }
  static std::string TokenIn(const RawResponse& response) {
    return json::parse(response.body).at("access_token").get<std::string>();
  }

  Emulator emulator_{EmulatorOptions{.auth = AuthOptions{.config = IdentityConfigText()}}};
  RawConnection client_{emulator_.endpoint()};
};

TEST_F(IdentityHttpTest, ExchangesASignatureForAToken) {
  const RawResponse response =
      Post("/token", AssertionForm({{"aud", "http://emulator.test/token"}, {"scope", kReadOnly}}));
  ASSERT_EQ(response.status, 200) << response.body;
  const json answer = json::parse(response.body);
  EXPECT_EQ(answer.at("token_type"), "Bearer");
  EXPECT_EQ(answer.at("expires_in"), 1000);
  EXPECT_EQ(Call("GET", kReadObject, Bearer(TokenIn(response))).body, "0123456789");
  EXPECT_EQ(response.Header("cache-control").find("no-cache"), 0U);
}

TEST_F(IdentityHttpTest, RefusesTokensInTheFormOfOAuth) {
  struct Case {
    const char* name;
    Form form;
    int status;
    const char* error;
  };
  Form wrong_secret = RefreshForm();
  wrong_secret[2].second = "guess";
  Form revoked = RefreshForm();
  revoked[3].second = "guess";
  const std::vector<Case> cases = {
      {"wrong audience", AssertionForm({{"aud", "https://example.com"}, {"scope", kReadOnly}}), 400, "invalid_grant"},
      {"no scope", AssertionForm({{"aud", "https://oauth2.googleapis.com/token"}}), 400, "invalid_scope"},
      {"malformed assertion",
       {{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"}, {"assertion", "a.b.c"}},
       400,
       "invalid_grant"},
      {"no assertion", {{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"}}, 400, "invalid_grant"},
      {"wrong secret", wrong_secret, 401, "invalid_client"},
      {"revoked token", revoked, 400, "invalid_grant"},
      {"unknown grant", {{"grant_type", "password"}}, 400, "unsupported_grant_type"},
      {"no grant", {}, 400, "invalid_request"},
  };
  for (const Case& bad : cases) {
    const RawResponse response = Post("/token", bad.form);
    EXPECT_EQ(response.status, bad.status) << bad.name;
    const json answer = json::parse(response.body);
    EXPECT_EQ(answer.at("error"), bad.error) << bad.name;
    EXPECT_FALSE(answer.at("error_description").get<std::string>().empty()) << bad.name;
    for (const auto& [name, value] : bad.form) {
      if (name == "grant_type" || name == "client_id") continue;  // no secrets
      EXPECT_EQ(response.body.find(value), std::string::npos) << bad.name << " repeats " << name;
    }
  }
}

TEST_F(IdentityHttpTest, SurvivesBodiesThatAreNotForms) {
  for (const std::string& body :
       {std::string("%"), std::string("grant_type=%zz"), std::string("grant_type=%FF%FE"), std::string("&&&="),
        std::string("{\"grant_type\":\"refresh_token\"}"), std::string(5 << 20, 'x')}) {
    for (const char* target : {"/token", "/v1/token"}) {
      // Each on a connection of its own: one that is too long is refused before it is read.
      const RawResponse response = RawConnection(emulator_.endpoint()).Call("POST", target, kFormType, body);
      EXPECT_EQ(response.status, 400) << target << body.substr(0, 40);
      EXPECT_TRUE(json::parse(response.body).contains("error")) << body.substr(0, 40);
    }
  }
}

TEST_F(IdentityHttpTest, RefreshesAUsersToken) {
  const RawResponse response = Post("/token", RefreshForm());
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(Call("GET", kReadObject, Bearer(TokenIn(response))).status, 200);
}

TEST_F(IdentityHttpTest, ExchangesAndImpersonatesForExternalAccounts) {
  const RawResponse exchanged = Post("/v1/token", ExchangeForm());
  ASSERT_EQ(exchanged.status, 200) << exchanged.body;
  EXPECT_EQ(json::parse(exchanged.body).at("issued_token_type"), "urn:ietf:params:oauth:token-type:access_token");
  const std::string federated = TokenIn(exchanged);
  EXPECT_EQ(Call("GET", kReadObject, Bearer(federated)).status, 403) << "the workload has no role of its own";

  const std::string target = "/v1/projects/-/serviceAccounts/" + EncodeSegment(kViewerEmail) + ":generateAccessToken";
  const json wanted = {{"scope", json::array({kCloudPlatform})}, {"lifetime", "600s"}};
  const RawResponse impersonated = Call("POST", target, Bearer(federated), wanted.dump());
  ASSERT_EQ(impersonated.status, 200) << impersonated.body;
  const json answer = json::parse(impersonated.body);
  const auto expires = answer.at("expireTime").get<std::string>();
  EXPECT_EQ(expires.size(), std::string("2026-11-20T07:00:00Z").size()) << expires;
  const std::string token = answer.at("accessToken").get<std::string>();
  EXPECT_EQ(Call("GET", kReadObject, Bearer(token)).status, 200);
  emulator_.clock().Advance(seconds(600));
  EXPECT_EQ(Call("GET", kReadObject, Bearer(token)).status, 401);
}

TEST_F(IdentityHttpTest, RefusesExchangesInTheirOwnForm) {
  Form other_audience = ExchangeForm();
  other_audience[1].second = "//other";
  Form other_token = ExchangeForm();
  other_token[4].second = "guess";
  Form other_wish = ExchangeForm();
  other_wish[3].second = "urn:ietf:params:oauth:token-type:id_token";
  for (const auto& [form, error] :
       {std::pair(other_audience, "invalid_target"), std::pair(other_token, "invalid_grant"),
        std::pair(other_wish, "invalid_request"), std::pair(RefreshForm(), "unsupported_grant_type")}) {
    const RawResponse response = Post("/v1/token", form);
    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(json::parse(response.body).at("error"), error);
  }
}

TEST_F(IdentityHttpTest, RefusesImpersonationInItsOwnForm) {
  const std::string target = std::string("/v1/projects/-/serviceAccounts/") + kViewerEmail + ":generateAccessToken";
  const std::string wanted = json{{"scope", json::array({kCloudPlatform})}}.dump();
  struct Case {
    const char* name;
    std::string headers;
    std::string body;
    int status;
    const char* error;
  };
  const std::string workload = Bearer(TokenIn(Post("/v1/token", ExchangeForm())));
  const std::vector<Case> cases = {
      {"anonymous", "", wanted, 401, "UNAUTHENTICATED"},
      {"bad token", Bearer("ya29.guess"), wanted, 401, "UNAUTHENTICATED"},
      {"not allowed", As(kCreatorEmail), wanted, 403, "PERMISSION_DENIED"},
      {"no JSON", workload, "{", 400, "INVALID_ARGUMENT"},
      {"deep JSON", workload, R"({"delegates":)" + std::string(200'000, '[') + std::string(200'000, ']') + "}", 400,
       "INVALID_ARGUMENT"},
      {"no scope", workload, "{}", 400, "INVALID_ARGUMENT"},
      {"scope no array", workload, R"({"scope":"a"})", 400, "INVALID_ARGUMENT"},
      {"lifetime no duration", workload, R"({"scope":["a"],"lifetime":"1h"})", 400, "INVALID_ARGUMENT"},
      {"lifetime too long", workload, R"({"scope":["a"],"lifetime":"3601s"})", 400, "INVALID_ARGUMENT"},
      {"delegate no resource", workload, R"({"scope":["a"],"delegates":["a@b"]})", 400, "INVALID_ARGUMENT"},
  };
  for (const Case& bad : cases) {
    const RawResponse response = Call("POST", target, bad.headers, bad.body);
    EXPECT_EQ(response.status, bad.status) << bad.name;
    EXPECT_EQ(json::parse(response.body).at("error").at("status"), bad.error) << bad.name;
  }
}

TEST_F(IdentityHttpTest, ServesTheMetadataOfAMachine) {
  const std::string accounts = "/computeMetadata/v1/instance/service-accounts/";
  for (const std::string& account : {std::string("default"), std::string(kViewerEmail), EncodeSegment(kViewerEmail)}) {
    const RawResponse token = Call("GET", accounts + account + "/token", kFlavor);
    ASSERT_EQ(token.status, 200) << account << token.body;
    EXPECT_EQ(token.Header("metadata-flavor"), "Google");
    EXPECT_EQ(json::parse(token.body).at("expires_in"), 1000);
    EXPECT_EQ(Call("GET", kReadObject, Bearer(TokenIn(token))).status, 200);
    EXPECT_EQ(Call("GET", accounts + account + "/email", kFlavor).body, kViewerEmail);
    EXPECT_EQ(Call("GET", accounts + account + "/scopes", kFlavor).body, kCloudPlatform + std::string("\n"));
    const json described = json::parse(Call("GET", accounts + account + "/?recursive=true", kFlavor).body);
    EXPECT_EQ(described, (json{{"aliases", {"default"}}, {"email", kViewerEmail}, {"scopes", {kCloudPlatform}}}));
  }
  EXPECT_EQ(Call("GET", "/computeMetadata/v1/project/project-id", kFlavor).body, "test-project");
  EXPECT_EQ(Call("GET", accounts, kFlavor).body, std::string("default/\n") + kViewerEmail + "/\n");
  for (const char* sign :
       {"/", "/computeMetadata/v1", "/computeMetadata/v1/instance", "/computeMetadata/v1/instance/"}) {
    const RawResponse response = Call("GET", sign, kFlavor);
    EXPECT_EQ(response.status, 200) << sign << ", by which clients know a virtual machine";
    EXPECT_EQ(response.Header("metadata-flavor"), "Google") << sign;
  }
}

TEST_F(IdentityHttpTest, ReportsPreemption) {
  constexpr auto kPreempted = "/computeMetadata/v1/instance/preempted";
  constexpr auto kMachine = "/_emulator/machine";
  EXPECT_EQ(Call("GET", kPreempted, kFlavor).body, "FALSE");
  EXPECT_EQ(Call("PUT", kMachine, "", R"({"preempted": true})").status, 200);
  EXPECT_EQ(Call("GET", kPreempted, kFlavor).body, "TRUE");
  EXPECT_EQ(Call("GET", kMachine).body, R"({"preempted":true})");
  for (const char* wrong : {"{}", R"({"preempted": 1})", R"({"preempted": true, "cpus": "2"})"}) {
    EXPECT_EQ(Call("PUT", kMachine, "", wrong).status, 400) << wrong;
  }
  EXPECT_EQ(Call("POST", "/_emulator/reset").status, 204);
  EXPECT_EQ(Call("GET", kPreempted, kFlavor).body, "FALSE");
  EXPECT_EQ(Call("GET", kPreempted).status, 403);
}

TEST(MetadataServer, ReportsPreemptionWithoutIdentities) {
  const Emulator emulator;
  RawConnection connection(emulator.endpoint());
  EXPECT_EQ(connection.Call("GET", "/computeMetadata/v1/instance/preempted", kFlavor).body, "FALSE");
  EXPECT_EQ(connection.Call("GET", "/computeMetadata/v1/project/project-id", kFlavor).status, 404);
  EXPECT_NE(connection.Call("GET", "/", kFlavor).body, "computeMetadata/\n") << "clients take it for a machine";
}

TEST_F(IdentityHttpTest, IssuesMachineTokensForTheRequestedScopes) {
  const RawResponse token =
      Call("GET", std::string("/computeMetadata/v1/instance/service-accounts/default/token?scopes=openid,") + kReadOnly,
           kFlavor);
  EXPECT_EQ(Call("GET", kReadObject, Bearer(TokenIn(token))).status, 200);
  const RawResponse useless =
      Call("GET", "/computeMetadata/v1/instance/service-accounts/default/token?scopes=openid", kFlavor);
  const RawResponse refused = Call("GET", kReadObject, Bearer(TokenIn(useless)));
  EXPECT_EQ(refused.status, 403);
  EXPECT_NE(refused.body.find("Provided scope(s) are not authorized"), std::string::npos) << refused.body;
}

TEST_F(IdentityHttpTest, RequiresTheMetadataFlavorHeader) {
  const std::string token = "/computeMetadata/v1/instance/service-accounts/default/token";
  for (const char* headers : {"", "Metadata-Flavor: google\r\n", "Metadata-Flavour: Google\r\n"}) {
    const RawResponse response = Call("GET", token, headers);
    EXPECT_EQ(response.status, 403) << headers;
    EXPECT_EQ(response.body.find("ya29"), std::string::npos);
  }
  EXPECT_EQ(Call("POST", token, kFlavor).status, 405);
  for (const char* path : {"/computeMetadata/v1/instance/service-accounts/default/secret",
                           "/computeMetadata/v1/instance/service-accounts/default/token/x",
                           "/computeMetadata/v1/instance/service-accounts/nobody@x/token", "/computeMetadata/v2/",
                           "/computeMetadata/v1/instance/id"}) {
    const RawResponse response = Call("GET", path, kFlavor);
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_EQ(response.Header("metadata-flavor"), "Google") << path;
  }
}

TEST_F(IdentityHttpTest, LimitsAMachineTokenToItsScopes) {
  json config = json::parse(IdentityConfigText());
  config["metadata_server"]["scopes"] = json::array({kReadOnly});
  config["roles"] = json::array({{{"principal", kViewerEmail}, {"bucket", "*"}, {"role", "admin"}}});
  const Emulator emulator(EmulatorOptions{.auth = AuthOptions{.config = config.dump()}});
  RawConnection client(emulator.endpoint());
  for (const char* scopes : {"", "?scopes=https://www.googleapis.com/auth/cloud-platform",
                             "?scopes=https://www.googleapis.com/auth/devstorage.full_control",
                             "?scopes=https://www.googleapis.com/auth/devstorage.read_only,"
                             "https://www.googleapis.com/auth/devstorage.read_write"}) {
    const RawResponse token = client.Call(
        "GET", std::string("/computeMetadata/v1/instance/service-accounts/default/token") + scopes, kFlavor);
    ASSERT_EQ(token.status, 200);
    const std::string bearer = Bearer(TokenIn(token));
    EXPECT_EQ(client.Call("POST", "/storage/v1/b?project=p", bearer, R"({"name":"bucket"})").status, 403) << scopes;
    EXPECT_EQ(client.Call("GET", "/storage/v1/b/none/o/a", bearer).status, 404) << scopes;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
