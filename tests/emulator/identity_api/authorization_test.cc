// The rights of requests if the emulator requires credentials.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "emulator/support/crypto_fixtures.h"
#include "emulator/support/identity_fixture.h"
#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"
#include "support/concatenated.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr auto kObject = "/storage/v1/b/bucket/o/object";

class AuthorizationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    emulator_.clock().Freeze();
    for (const char* bucket : {"bucket", "other"}) {
      ASSERT_EQ(Call("POST", "/storage/v1/b", kAdminEmail, json{{"name", bucket}}.dump()).status, 200);
      ASSERT_EQ(Insert(bucket, "object", kAdminEmail), 200);
    }
  }

  [[nodiscard]] std::string TokenOf(const std::string& email, json claims = {}) {
    const std::int64_t now = SecondsOf(emulator_.clock().Now());
    claims.update({{"iss", email}, {"sub", email}, {"iat", now}, {"exp", now + 3600}});
    if (!claims.contains("scope")) claims["aud"] = "https://storage.googleapis.com/";
    return SignedJwt({{"alg", "RS256"}, {"kid", "key-1"}}, claims, TestKey(1).private_key);
  }
  // If `who` is "", the call has no token.
  RawResponse Call(std::string_view method, std::string_view target, const std::string& who, std::string_view body = "",
                   const std::string& headers = "") {
    const std::string bearer = who.empty() ? "" : "Authorization: Bearer " + TokenOf(who) + "\r\n";
    return client_.Call(method, target, bearer + headers, body);
  }
  int Insert(const std::string& bucket, const std::string& name, const std::string& who) {
    return Call("POST", "/upload/storage/v1/b/" + bucket + "/o?uploadType=media&name=" + name, who, "0123456789")
        .status;
  }
  json Granted(const std::string& who, const std::string& query) {
    const RawResponse response = Call("GET", "/storage/v1/b/bucket/iam/testPermissions?" + query, who);
    EXPECT_EQ(response.status, 200) << response.body;
    return json::parse(response.body).value("permissions", json::array());
  }

  Emulator emulator_{EmulatorOptions{.auth = AuthOptions{.config = IdentityConfigText()}}};
  RawConnection client_{emulator_.endpoint()};
};

struct RoleCase {
  const char* method;
  const char* target;
  const char* body;
  // Whether a caller without credentials, the viewer, the creator, the user and the admin may.
  bool anonymous, viewer, creator, user, admin;
};

// Each is refused before anything is done, or works for every caller that may.
const std::vector<RoleCase> kRoleCases = {
    {"GET", "/storage/v1/b?project=p", "", false, false, false, false, true},
    {"GET", "/storage/v1/b/bucket", "", false, false, false, false, true},
    {"GET", "/storage/v1/b/bucket/o", "", false, true, false, true, true},
    {"GET", kObject, "", false, true, false, true, true},
    {"GET", "/storage/v1/b/bucket/o/object?alt=media", "", false, true, false, true, true},
    {"GET", "/download/storage/v1/b/bucket/o/object?alt=media", "", false, true, false, true, true},
    {"GET", "/storage/v1/b/other/o/object", "", false, false, false, false, true},
    {"GET", "/storage/v1/b/other/o", "", false, false, false, false, true},
    {"PATCH", kObject, R"({"contentType":"text/plain"})", false, false, false, true, true},
    {"POST", "/storage/v1/b/bucket/o/object/compose", R"({"sourceObjects":[{"name":"object"}]})", false, false, false,
     true, true},
    {"POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=object", "0123456789", false, false, false, true,
     true},
    {"POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=new", "", false, false, true, true, true},
    {"GET", "/bucket?prefix=o", "", false, true, false, true, true},
    {"GET", "/bucket/object", "", false, true, false, true, true},
    {"HEAD", "/bucket/object", "", false, true, false, true, true},
    {"PUT", "/bucket/object", "0123456789", false, false, false, true, true},
    {"POST", "/bucket/new?uploads", "", false, false, true, true, true},
    {"GET", "/bucket?uploads", "", false, false, false, true, true},
};

TEST_F(AuthorizationTest, FollowsTheRoles) {
  for (const RoleCase& test : kRoleCases) {
    for (const auto& [who, is_allowed] :
         {std::pair("", test.anonymous), std::pair(kViewerEmail, test.viewer), std::pair(kCreatorEmail, test.creator),
          std::pair(kUserEmail, test.user), std::pair(kAdminEmail, test.admin)}) {
      const int refused = *who == '\0' ? 401 : 403;
      const RawResponse response = Call(test.method, test.target, who, test.body);
      EXPECT_EQ(response.status, is_allowed ? 200 : refused) << test.method << " " << test.target << " as " << who;
      EXPECT_EQ(response.headers.contains("www-authenticate"), response.status == 401) << test.target;
    }
  }
}

TEST_F(AuthorizationTest, AllowsDeletesOnlyWithPermission) {
  for (const char* target : {kObject, "/bucket/object"}) {
    EXPECT_EQ(Call("DELETE", target, "").status, 401) << target;
    EXPECT_EQ(Call("DELETE", target, kViewerEmail).status, 403) << target;
    EXPECT_EQ(Call("DELETE", target, kCreatorEmail).status, 403) << target;
    EXPECT_EQ(Call("DELETE", target, kUserEmail).status, 204) << target;
    ASSERT_EQ(Insert("bucket", "object", kAdminEmail), 200);
  }
  EXPECT_EQ(Call("DELETE", "/storage/v1/b/other/o/object", kAdminEmail).status, 204);
  EXPECT_EQ(Call("DELETE", "/storage/v1/b/other", kUserEmail).status, 403);
  EXPECT_EQ(Call("DELETE", "/storage/v1/b/other", kAdminEmail).status, 204);
}

TEST_F(AuthorizationTest, RefusesInTheWordsOfTheService) {
  const RawResponse refused = Call("GET", "/storage/v1/b/other/o/object", kViewerEmail);
  ASSERT_EQ(refused.status, 403);
  const json error = json::parse(refused.body).at("error");
  EXPECT_EQ(error.at("message"), std::string(kViewerEmail) +
                                     " does not have storage.objects.get access to the Google Cloud Storage object. "
                                     "Permission 'storage.objects.get' denied on resource (or it may not exist).");
  EXPECT_EQ(error.at("errors").at(0).at("reason"), "forbidden");
  const json listing = json::parse(Call("GET", "/storage/v1/b/other/o", kViewerEmail).body).at("error");
  EXPECT_NE(listing.at("message").get<std::string>().find("access to the Google Cloud Storage bucket."),
            std::string::npos);
  EXPECT_EQ(Call("GET", "/storage/v1/b/no-such-bucket/o", kViewerEmail).status, 403)
      << "who may not look, does not learn";
  EXPECT_EQ(Call("GET", "/storage/v1/b/no-such-bucket/o", kAdminEmail).status, 404);
}

TEST_F(AuthorizationTest, RepeatsAnAnswerOnlyToTheSameCaller) {
  constexpr auto kInsert = "/upload/storage/v1/b/bucket/o?uploadType=media&name=again";
  const std::string token = "x-goog-gcs-idempotency-token: t\r\n";
  const RawResponse first = Call("POST", kInsert, kAdminEmail, "bytes", token);
  ASSERT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(Call("POST", kInsert, kAdminEmail, "bytes", token).body, first.body);
  EXPECT_EQ(Call("POST", kInsert, "", "bytes", token).status, 401);
  EXPECT_EQ(Call("POST", kInsert, kViewerEmail, "bytes", token).status, 403);
  EXPECT_EQ(client_.Call("POST", kInsert, "Authorization: Bearer bogus\r\n" + token, "bytes").status, 401);
}

TEST_F(AuthorizationTest, RequiresCredentialsOfAnonymousCallers) {
  const RawResponse refused = Call("GET", kObject, "");
  ASSERT_EQ(refused.status, 401);
  EXPECT_TRUE(refused.Header("www-authenticate").starts_with("Bearer realm=")) << refused.Header("www-authenticate");
  const json error = json::parse(refused.body).at("error");
  EXPECT_EQ(error.at("errors").at(0).at("reason"), "required");
  EXPECT_TRUE(error.at("message").get<std::string>().starts_with("Anonymous caller does not have storage.objects.get"));
}

TEST_F(AuthorizationTest, RefusesMalformedCredentials) {
  const std::string token = TokenOf(kViewerEmail);
  for (const std::string& value :
       {std::string("Bearer"), std::string("Bearer "), std::string("Bearer ya29.guess"), "Basic " + token, token,
        "Bearer " + token.substr(0, token.size() - 4), "Bearer  " + token, std::string("Bearer \xFF\xFE")}) {
    const RawResponse refused = client_.Call("GET", kObject, "Authorization: " + value + "\r\n");
    EXPECT_EQ(refused.status, 401) << value;
    EXPECT_EQ(json::parse(refused.body).at("error").at("errors").at(0).at("reason"), "authError") << value;
    EXPECT_TRUE(refused.headers.contains("www-authenticate"));
  }
  EXPECT_EQ(client_.Call("GET", kObject, "Authorization: bearer " + token + "\r\n").status, 200);
}

TEST_F(AuthorizationTest, RefusesInXmlForTheXmlApi) {
  const RawResponse anonymous = Call("GET", "/bucket/object", "");
  ASSERT_EQ(anonymous.status, 401);
  EXPECT_NE(anonymous.body.find("<Code>AuthenticationRequired</Code>"), std::string::npos) << anonymous.body;
  EXPECT_TRUE(anonymous.headers.contains("www-authenticate"));
  const RawResponse refused = Call("GET", "/other/object", kViewerEmail);
  ASSERT_EQ(refused.status, 403);
  EXPECT_NE(refused.body.find("<Code>AccessDenied</Code>"), std::string::npos) << refused.body;
  EXPECT_NE(refused.body.find(std::string(kViewerEmail) + " does not have storage.objects.get access"),
            std::string::npos)
      << refused.body;
}

TEST_F(AuthorizationTest, AllowsACreatorToAddButNotReplace) {
  EXPECT_EQ(Insert("bucket", "new", kCreatorEmail), 200);
  EXPECT_EQ(Insert("bucket", "new", kCreatorEmail), 403);
  const std::string session = "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=";
  EXPECT_EQ(Call("POST", session + "newer", kCreatorEmail).status, 200);
  EXPECT_EQ(Call("POST", session + "new", kCreatorEmail).status, 403);
  const std::string multipart =
      "--b\r\nContent-Type: application/json\r\n\r\n{\"name\":\"object\"}\r\n--b\r\nContent-Type: "
      "text/plain\r\n\r\nx\r\n"
      "--b--";
  const RawResponse refused = Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=multipart", kCreatorEmail,
                                   multipart, "Content-Type: multipart/related; boundary=b\r\n");
  EXPECT_EQ(refused.status, 403);
  EXPECT_NE(refused.body.find("storage.objects.delete"), std::string::npos) << refused.body;
  EXPECT_EQ(Call("PUT", "/bucket/newest", kCreatorEmail, "x").status, 200);
  EXPECT_EQ(Call("PUT", "/bucket/newest", kCreatorEmail, "x").status, 403);
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o/object?alt=media", kViewerEmail).body, "0123456789") << "is as it was";
}

TEST_F(AuthorizationTest, AllowsComposeWithoutDeletePermission) {
  const std::string to = "/storage/v1/b/bucket/o/";
  const std::string sources = R"("sourceObjects":[{"name":"object"}])";
  EXPECT_EQ(Call("POST", to + "joined/compose", kCollectorEmail, "{" + sources + "}").status, 200);
  EXPECT_EQ(Call("POST", to + "joined/compose", kCollectorEmail, "{" + sources + "}").status, 403) << "replaces";
  EXPECT_EQ(
      Call("POST", to + "moved/compose", kCollectorEmail, "{" + sources + R"(,"deleteSourceObjects":true})").status,
      403);
  EXPECT_EQ(Call("GET", kObject, kViewerEmail).status, 200);
}

TEST_F(AuthorizationTest, AcceptsASessionUriAsCredential) {
  const RawResponse started =
      Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=new", kCreatorEmail);
  ASSERT_EQ(started.status, 200);
  const std::string location = started.Header("location");
  EXPECT_EQ(Call("PUT", location, "", "0123456789").status, 200);
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o/new?alt=media", kViewerEmail).body, "0123456789");
}

TEST_F(AuthorizationTest, RequiresReadPermissionOnACopysSource) {
  const std::string source = "x-goog-copy-source: /other/object\r\n";
  EXPECT_EQ(Call("PUT", "/bucket/copy", kUserEmail, "", source).status, 403) << "may not read the source";
  EXPECT_EQ(Call("PUT", "/bucket/copy", kAdminEmail, "", source).status, 200);
  for (const std::string& verb : {std::string("copyTo"), std::string("rewriteTo")}) {
    const std::string to = testing::Concatenated({"/", verb, "/b/bucket/o/", verb});
    EXPECT_EQ(Call("POST", "/storage/v1/b/other/o/object" + to, kUserEmail).status, 403) << verb;
    EXPECT_EQ(Call("POST", kObject + to, kCollectorEmail).status, 200) << verb;
    EXPECT_EQ(Call("POST", kObject + to, kCollectorEmail).status, 403) << verb << " replaces";
    EXPECT_EQ(Call("POST", kObject + to, kUserEmail).status, 200) << verb;
  }
}

TEST_F(AuthorizationTest, LimitsATokenToItsScopes) {
  const std::string token = TokenOf(kUserEmail, {{"scope", "https://www.googleapis.com/auth/devstorage.read_only"}});
  const std::string headers = "Authorization: Bearer " + token + "\r\n";
  EXPECT_EQ(client_.Call("GET", kObject, headers).status, 200);
  EXPECT_EQ(client_.Call("DELETE", kObject, headers).status, 403);
  EXPECT_EQ(Call("DELETE", kObject, kUserEmail).status, 204);
}

TEST_F(AuthorizationTest, RefusesAnExpiredToken) {
  const std::string headers = "Authorization: Bearer " + TokenOf(kViewerEmail) + "\r\n";
  emulator_.clock().Advance(seconds(3599));
  EXPECT_EQ(client_.Call("GET", kObject, headers).status, 200);
  emulator_.clock().Advance(seconds(1));
  EXPECT_EQ(client_.Call("GET", kObject, headers).status, 401);
}

TEST_F(AuthorizationTest, TestsPermissions) {
  const std::string all =
      "permissions=storage.objects.get&permissions=storage.objects.create&permissions=storage.objects.delete&"
      "permissions=storage.buckets.get&permissions=storage.objects.fly";
  EXPECT_EQ(Granted(kViewerEmail, all), json::array({"storage.objects.get"}));
  EXPECT_EQ(Granted(kCreatorEmail, all), json::array({"storage.objects.create"}));
  EXPECT_EQ(Granted(kUserEmail, all),
            json::array({"storage.objects.get", "storage.objects.create", "storage.objects.delete"}));
  EXPECT_EQ(Granted(kAdminEmail, all), json::array({"storage.objects.get", "storage.objects.create",
                                                    "storage.objects.delete", "storage.buckets.get"}));
  EXPECT_EQ(Granted("", all), json::array());
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/iam/testPermissions", kAdminEmail).status, 400);
  EXPECT_EQ(Call("GET", "/storage/v1/b/none/iam/testPermissions?" + all, kAdminEmail).status, 404);
}

TEST_F(AuthorizationTest, HidesCredentialsEverywhere) {
  const std::string token = TokenOf(kAdminEmail);
  const std::string query = "/storage/v1/b/bucket/o?access_token=" + token;
  EXPECT_EQ(client_.Call("GET", query, "Authorization: Bearer " + token + "\r\n").status, 200);
  const std::string form = std::string("grant_type=refresh_token&client_id=client&client_secret=") + kClientSecret +
                           "&refresh_token=" + kRefreshToken;
  const RawResponse refreshed = client_.Call("POST", "/token", "", form);
  ASSERT_EQ(refreshed.status, 200);
  const std::string issued = json::parse(refreshed.body).at("access_token").get<std::string>();
  const RawResponse journal = client_.Call("GET", "/_emulator/journal");
  ASSERT_EQ(journal.status, 200);
  EXPECT_NE(journal.body.find("oauth2.token"), std::string::npos) << "the requests are in there";
  const std::string shown = journal.body + client_.Call("GET", "/_emulator/metrics").body;
  for (const std::string& secret : {token, issued, std::string(kClientSecret), std::string(kRefreshToken)}) {
    EXPECT_EQ(shown.find(secret), std::string::npos);
  }
}

TEST(WithoutAuthorization, TokensAreIssuedButNotRequired) {
  const Emulator emulator({.auth = AuthOptions{.config = IdentityConfigText(), .is_required = false}});
  RawConnection client(emulator.endpoint());
  EXPECT_EQ(client.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
  EXPECT_EQ(client.Call("GET", "/storage/v1/b/bucket", "Authorization: Bearer guess\r\n").status, 200);
  EXPECT_EQ(
      client.Call("GET", "/computeMetadata/v1/instance/service-accounts/default/token", "Metadata-Flavor: Google\r\n")
          .status,
      200);
}

TEST(WithoutAuthorization, EverythingIsGrantedWithoutEndpoints) {
  const Emulator emulator;
  RawConnection client(emulator.endpoint());
  ASSERT_EQ(client.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
  const RawResponse granted = client.Call(
      "GET",
      "/storage/v1/b/bucket/iam/testPermissions?permissions=storage.objects.get&permissions=storage.buckets.get");
  EXPECT_EQ(json::parse(granted.body), (json{{"kind", "storage#testIamPermissionsResponse"},
                                             {"permissions", {"storage.objects.get", "storage.buckets.get"}}}));
  const std::string flavor = "Metadata-Flavor: Google\r\n";
  EXPECT_EQ(client.Call("POST", "/token", "", "grant_type=refresh_token").status, 404);
  EXPECT_EQ(client.Call("POST", "/v1/token", "", "x").status, 404);
  EXPECT_EQ(client.Call("POST", "/v1/projects/-/serviceAccounts/a@b:generateAccessToken", "", "{}").status, 404);
  EXPECT_EQ(client.Call("GET", "/computeMetadata/v1/project/project-id", flavor).status, 404);
  EXPECT_FALSE(client.Call("GET", "/", flavor).headers.contains("metadata-flavor"));
}

}  // namespace
}  // namespace gcsflux::emulator
