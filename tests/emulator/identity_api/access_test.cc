// What policies and access control lists allow, in every API, if the emulator requires credentials.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "emulator/support/crypto_fixtures.h"
#include "emulator/support/identity_fixture.h"
#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

constexpr auto kSecret = "/storage/v1/b/private/o/secret";

// The person has no role in the bucket "private", which is the admin's.
class AccessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(Call("POST", "/storage/v1/b", kAdminEmail, json{{"name", "private"}}.dump()), 200);
    ASSERT_EQ(Call("POST", "/storage/v1/b", kAdminEmail, json{{"name", "bucket"}}.dump()), 200);
    ASSERT_EQ(Insert("private", "secret", kAdminEmail), 200);
  }

  std::string TokenOf(const std::string& email) {
    const std::int64_t now = SecondsOf(emulator_.clock().Now());
    const json claims = {
        {"iss", email}, {"sub", email}, {"iat", now}, {"exp", now + 3600}, {"aud", "https://storage.googleapis.com/"}};
    return SignedJwt({{"alg", "RS256"}, {"kid", "key-1"}}, claims, TestKey(1).private_key);
  }
  // If `who` is "", the call has no token.
  int Call(std::string_view method, std::string_view target, const std::string& who, std::string_view body = "",
           const std::string& headers = "") {
    const std::string bearer = who.empty() ? "" : "Authorization: Bearer " + TokenOf(who) + "\r\n";
    return client_.Call(method, target, bearer + headers, body).status;
  }
  int Insert(const std::string& bucket, const std::string& name, const std::string& who,
             const std::string& parameters = "") {
    return Call("POST", "/upload/storage/v1/b/" + bucket + "/o?uploadType=media&name=" + name + parameters, who, "123");
  }
  void SetPolicy(const std::string& role, const std::string& member) {
    const json policy = {{"bindings", {{{"role", "roles/storage." + role}, {"members", {member}}}}}};
    ASSERT_EQ(Call("PUT", "/storage/v1/b/private/iam", kAdminEmail, policy.dump()), 200);
  }
  void PatchBucket(const json& patch) {
    ASSERT_EQ(Call("PATCH", "/storage/v1/b/private", kAdminEmail, patch.dump()), 200);
  }
  void Share(const std::string& path, const std::string& entity, const std::string& role) {
    ASSERT_EQ(
        Call("POST", "/storage/v1/b/private" + path, kAdminEmail, json{{"entity", entity}, {"role", role}}.dump()),
        200);
  }

  const json kUniform_ = {{"iamConfiguration", {{"uniformBucketLevelAccess", {{"enabled", true}}}}}};
  Emulator emulator_{EmulatorOptions{.auth = AuthOptions{.config = IdentityConfigText()}}};
  RawConnection client_{emulator_.endpoint()};
};

// Every way to read the object's bytes or what is known about it.
struct ReadCase {
  const char* method;
  const char* target;
  const char* headers;
  const char* body;
};
const ReadCase kReads[] = {
    {"GET", kSecret, "", ""},
    {"GET", "/storage/v1/b/private/o/secret?alt=media", "", ""},
    {"GET", "/download/storage/v1/b/private/o/secret?alt=media", "", ""},
    {"GET", "/private/secret", "", ""},
    {"HEAD", "/private/secret", "", ""},
    {"POST", "/storage/v1/b/private/o/secret/copyTo/b/bucket/o/copy1", "", "{}"},
    {"POST", "/storage/v1/b/private/o/secret/rewriteTo/b/bucket/o/copy2", "", "{}"},
    {"PUT", "/bucket/copy3", "x-goog-copy-source: /private/secret\r\n", ""},
};

TEST_F(AccessTest, ReadsAreRefusedWithoutAGrantAndServedWithAnyGrant) {
  const auto expect_all = [&](bool is_served) {
    for (const ReadCase& read : kReads) {
      const int status = Call(read.method, read.target, kUserEmail, read.body, read.headers);
      EXPECT_EQ(status, is_served ? 200 : 403) << read.method << " " << read.target;
    }
  };
  expect_all(false);
  SetPolicy("objectViewer", std::string("serviceAccount:") + kUserEmail);
  expect_all(true);
  SetPolicy("objectViewer", "serviceAccount:other@test-project.iam.gserviceaccount.com");
  expect_all(false);
  Share("/o/secret/acl", std::string("user-") + kUserEmail, "READER");
  expect_all(true);
  PatchBucket(kUniform_);
  expect_all(false);
}

TEST_F(AccessTest, CallsOfABatchAreDecidedAlike) {
  const std::string batch =
      "--zz\r\nContent-Type: application/http\r\n\r\nGET " + std::string(kSecret) + " HTTP/1.1\r\n\r\n\r\n--zz--\r\n";
  const auto answer = [&] {
    const std::string bearer = "Authorization: Bearer " + TokenOf(kUserEmail) + "\r\n";
    return client_.Call("POST", "/batch/storage/v1", bearer + "Content-Type: multipart/mixed; boundary=zz\r\n", batch)
        .body;
  };
  EXPECT_NE(answer().find("HTTP/1.1 403"), std::string::npos);
  Share("/o/secret/acl", std::string("user-") + kUserEmail, "READER");
  EXPECT_NE(answer().find("HTTP/1.1 200"), std::string::npos);
}

TEST_F(AccessTest, AListDoesNotCountForAnotherObjectOrGeneration) {
  Share("/o/secret/acl", "allUsers", "READER");
  EXPECT_EQ(Call("GET", kSecret, ""), 200);
  ASSERT_EQ(Insert("private", "other", kAdminEmail), 200);
  EXPECT_EQ(Call("GET", "/storage/v1/b/private/o/other", ""), 401);
  EXPECT_EQ(Call("GET", "/storage/v1/b/private/o", ""), 401);

  PatchBucket({{"versioning", {{"enabled", true}}}});
  ASSERT_EQ(Insert("private", "secret", kAdminEmail), 200);
  EXPECT_EQ(Call("GET", kSecret, ""), 401);  // the new generation has a list of its own
}

TEST_F(AccessTest, TheListOfTheLiveGenerationDoesNotOpenOlderOnes) {
  PatchBucket({{"versioning", {{"enabled", true}}}});
  const std::string bearer = "Authorization: Bearer " + TokenOf(kAdminEmail) + "\r\n";
  const std::string old = json::parse(client_.Call("GET", kSecret, bearer).body).at("generation");
  ASSERT_EQ(Insert("private", "secret", kAdminEmail, "&predefinedAcl=publicRead"), 200);
  EXPECT_EQ(Call("GET", kSecret, ""), 200);
  EXPECT_EQ(Call("GET", kSecret + ("?generation=" + old), ""), 401);
  EXPECT_EQ(Call("GET", "/private/secret?generation=" + old, ""), 401);
  EXPECT_EQ(Call("GET", "/private/secret?versionId=" + old, ""), 401);
  const std::string copy = "/storage/v1/b/private/o/secret/copyTo/b/bucket/o/copy?sourceGeneration=" + old;
  EXPECT_EQ(Call("POST", copy, kUserEmail, "{}"), 403);
  EXPECT_EQ(
      Call("PUT", "/bucket/copy", kUserEmail, "", "x-goog-copy-source: /private/secret?generation=" + old + "\r\n"),
      403);
}

TEST_F(AccessTest, ACallerWithoutARightToComposesSourcesIsRefused) {
  Share("/acl", std::string("user-") + kUserEmail, "WRITER");  // may create and delete, but not read
  const std::string body = R"({"sourceObjects":[{"name":"secret"}]})";
  EXPECT_EQ(Call("POST", "/storage/v1/b/private/o/new/compose", kUserEmail, body), 403);
  EXPECT_EQ(Insert("private", "own", kUserEmail), 200);
  EXPECT_EQ(Call("POST", "/storage/v1/b/private/o/own/compose", kUserEmail, body), 403);
  Share("/o/secret/acl", std::string("user-") + kUserEmail, "READER");
  EXPECT_EQ(Call("POST", "/storage/v1/b/private/o/new/compose", kUserEmail, body), 200);
}

TEST_F(AccessTest, ThoseWhoWriteAnObjectOwnIt) {
  Share("/acl", std::string("user-") + kCreatorEmail, "WRITER");
  ASSERT_EQ(Insert("private", "own", kCreatorEmail), 200);
  const std::string own = "/storage/v1/b/private/o/own";
  EXPECT_EQ(Call("GET", own, kCreatorEmail), 200);
  EXPECT_EQ(Call("PATCH", own, kCreatorEmail, R"({"contentType":"text/css"})"), 200);
  EXPECT_EQ(Call("GET", own + "/acl", kCreatorEmail), 200);
  EXPECT_EQ(Call("GET", kSecret, kCreatorEmail), 403);
  EXPECT_EQ(Call("GET", own, kUserEmail), 403);
}

TEST_F(AccessTest, GivingAccessNeedsTheRightToDoSo) {
  // A user of objects in "bucket", but not more.
  ASSERT_EQ(Insert("bucket", "object", kAdminEmail), 200);
  const std::string object = "/storage/v1/b/bucket/o/object";
  const std::string acl = R"({"acl":[{"entity":"allUsers","role":"READER"}]})";
  EXPECT_EQ(Call("PATCH", object, kUserEmail, R"({"contentType":"text/css"})"), 200);
  EXPECT_EQ(Call("PATCH", object, kUserEmail, acl), 403);
  EXPECT_EQ(Call("PATCH", object + "?predefinedAcl=publicRead", kUserEmail, "{}"), 403);
  EXPECT_EQ(Call("POST", object + "/acl", kUserEmail, R"({"entity":"allUsers","role":"READER"})"), 403);
  EXPECT_EQ(Call("GET", object + "/acl", kUserEmail), 403);
  EXPECT_EQ(Call("GET", object + "?projection=full", kUserEmail), 403);
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/iam", kUserEmail), 403);
  EXPECT_EQ(Call("PUT", "/storage/v1/b/bucket/iam", kUserEmail, R"({"bindings":[]})"), 403);
  EXPECT_EQ(Insert("bucket", "new", kUserEmail, "&predefinedAcl=publicRead"), 403);
  EXPECT_EQ(Call("PUT", "/bucket/new", kUserEmail, "1", "x-goog-acl: public-read\r\n"), 403);
  EXPECT_EQ(Call("GET", "/storage/v1/projects/p/hmacKeys", kUserEmail), 403);
  EXPECT_EQ(Call("GET", object, ""), 401);
}

TEST_F(AccessTest, PublicAccessEndsWhereItIsPrevented) {
  Share("/o/secret/acl", "allUsers", "READER");
  EXPECT_EQ(Call("GET", "/private/secret", ""), 200);
  PatchBucket({{"iamConfiguration", {{"publicAccessPrevention", "enforced"}}}});
  EXPECT_EQ(Call("GET", "/private/secret", ""), 401);
  EXPECT_EQ(Call("GET", "/private/secret", kUserEmail), 403);
}

TEST_F(AccessTest, AConditionGrantsNothing) {
  PatchBucket(kUniform_);
  const json binding = {{"role", "roles/storage.objectViewer"},
                        {"members", {"allUsers"}},
                        {"condition", {{"title", "t"}, {"expression", "true"}}}};
  const json policy = {{"version", 3}, {"bindings", {binding}}};
  ASSERT_EQ(Call("PUT", "/storage/v1/b/private/iam", kAdminEmail, policy.dump()), 200);
  EXPECT_EQ(Call("GET", kSecret, ""), 401);
}

TEST_F(AccessTest, PermissionsAreTestedByTheSameRules) {
  const auto granted = [&](const std::string& path) {
    const std::string bearer = "Authorization: Bearer " + TokenOf(kUserEmail) + "\r\n";
    const std::string target =
        path + "/iam/testPermissions?permissions=storage.objects.get&permissions=storage.objects.list";
    return json::parse(client_.Call("GET", target, bearer).body).value("permissions", json::array());
  };
  EXPECT_EQ(granted("/storage/v1/b/private"), json::array());
  Share("/o/secret/acl", std::string("user-") + kUserEmail, "READER");
  EXPECT_EQ(granted("/storage/v1/b/private"), json::array());
  EXPECT_EQ(granted(kSecret), json({"storage.objects.get"}));
  SetPolicy("objectViewer", "allAuthenticatedUsers");
  EXPECT_EQ(granted("/storage/v1/b/private"), json({"storage.objects.get", "storage.objects.list"}));
}

}  // namespace
}  // namespace gcsflux::emulator
