// IAM policies of buckets, HMAC keys and the service account of a project.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "emulator/support/json_client.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

constexpr auto kPolicy = "/storage/v1/b/bucket/iam";
constexpr auto kKeys = "/storage/v1/projects/p/hmacKeys";

json Binding(const std::string& role, const std::string& member) {
  return {{"role", "roles/storage." + role}, {"members", {member}}};
}

class IamTest : public EmulatorTest {
 protected:
  void SetUp() override { client_.Answer("POST", "/storage/v1/b", {{"name", "bucket"}}); }

  JsonClient client_{endpoint()};
};

TEST_F(IamTest, PolicyBeginsWithTheProjectsTeams) {
  const json policy = client_.Answer("GET", kPolicy);
  EXPECT_EQ(policy.at("kind"), "storage#policy");
  EXPECT_EQ(policy.at("resourceId"), "projects/_/buckets/bucket");
  EXPECT_EQ(policy.at("version"), 1);
  EXPECT_EQ(
      policy.at("bindings"),
      json::parse(R"([{"role": "roles/storage.legacyBucketOwner", "members": ["projectOwner:0", "projectEditor:0"]},
                            {"role": "roles/storage.legacyBucketReader", "members": ["projectViewer:0"]}])"));
}

TEST_F(IamTest, PolicyIsReplacedAsAWhole) {
  const json set = {{"bindings", {Binding("objectViewer", "allUsers"), Binding("admin", "user:a@b.c")}}};
  const json answer = client_.Answer("PUT", kPolicy, set);
  EXPECT_EQ(answer.at("bindings"), set.at("bindings"));
  EXPECT_EQ(client_.Answer("GET", kPolicy), answer);
  EXPECT_EQ(client_.Answer("PUT", kPolicy, {{"bindings", json::array()}}).at("bindings"), json::array());
}

TEST_F(IamTest, PolicyIsRefusedIfItsEtagIsStale) {
  json policy = client_.Answer("GET", kPolicy);
  EXPECT_EQ(client_.Status("PUT", kPolicy, policy), 200);
  EXPECT_EQ(client_.Refusal("PUT", kPolicy, policy), "412 conditionNotMet");
  policy["etag"] = client_.Answer("GET", kPolicy).at("etag");
  EXPECT_EQ(client_.Status("PUT", kPolicy, policy), 200);
}

TEST_F(IamTest, PolicyAndBucketAclAreOneThing) {
  client_.Answer("PUT", kPolicy,
                 {{"bindings", {Binding("legacyBucketWriter", "serviceAccount:x@p.iam.gserviceaccount.com")}}});
  const json acl = client_.Answer("GET", "/storage/v1/b/bucket/acl").at("items");
  ASSERT_EQ(acl.size(), 1);
  EXPECT_EQ(acl[0].at("entity"), "user-x@p.iam.gserviceaccount.com");
  EXPECT_EQ(acl[0].at("role"), "WRITER");
  client_.Answer("POST", "/storage/v1/b/bucket/acl", {{"entity", "group-g@b.c"}, {"role", "READER"}});
  EXPECT_EQ(client_.Answer("GET", kPolicy).at("bindings").back(), Binding("legacyBucketReader", "group:g@b.c"));
}

TEST_F(IamTest, PolicyIsRefusedIfAPartOfItIsUnknown) {
  const json wrong[] = {{Binding("owner", "allUsers")},
                        {Binding("admin", "a@b.c")},
                        {Binding("admin", "user:")},
                        {{{"role", "roles/storage.admin"}, {"members", "allUsers"}}}};
  for (const json& bindings : wrong) {
    EXPECT_EQ(client_.Status("PUT", kPolicy, {{"bindings", bindings}}), 400) << bindings;
  }
  EXPECT_EQ(client_.Status("PUT", kPolicy, {{"version", 2}}), 400);
  client_.Answer("PATCH", "/storage/v1/b/bucket", {{"iamConfiguration", {{"publicAccessPrevention", "enforced"}}}});
  EXPECT_EQ(client_.Refusal("PUT", kPolicy, {{"bindings", {Binding("objectViewer", "allUsers")}}}),
            "412 conditionNotMet");
}

TEST_F(IamTest, ConditionsNeedUniformAccessAndVersion3) {
  json binding = Binding("objectViewer", "user:a@b.c");
  binding["condition"] = {{"title", "t"}, {"expression", "request.time < timestamp('2030-01-01T00:00:00Z')"}};
  const json set = {{"version", 3}, {"bindings", {binding}}};
  EXPECT_EQ(client_.Status("PUT", kPolicy, set), 400);
  client_.Answer("PATCH", "/storage/v1/b/bucket",
                 {{"iamConfiguration", {{"uniformBucketLevelAccess", {{"enabled", true}}}}}});
  EXPECT_EQ(client_.Status("PUT", kPolicy, {{"bindings", {binding}}}), 400);
  EXPECT_EQ(client_.Answer("PUT", kPolicy, set).at("version"), 3);
  EXPECT_EQ(client_.Status("GET", kPolicy), 400);
  EXPECT_EQ(client_.Answer("GET", std::string(kPolicy) + "?optionsRequestedPolicyVersion=3").at("bindings"),
            json::array({binding}));
}

TEST_F(IamTest, HmacKeysAreMadeListedAndDeleted) {
  const json made = client_.Answer("POST", std::string(kKeys) + "?serviceAccountEmail=a@b.c");
  EXPECT_EQ(made.at("secret").get<std::string>().size(), 40);
  const json metadata = made.at("metadata");
  EXPECT_EQ(metadata.at("state"), "ACTIVE");
  EXPECT_EQ(metadata.at("accessId").get<std::string>().size(), 61);
  const std::string key = std::string(kKeys) + "/" + metadata.at("accessId").get<std::string>();
  EXPECT_EQ(client_.Answer("GET", key), metadata);
  EXPECT_EQ(client_.Answer("GET", kKeys).at("items"), json::array({metadata}));
  EXPECT_FALSE(client_.Answer("GET", "/storage/v1/projects/other/hmacKeys").contains("items"));
  EXPECT_FALSE(client_.Answer("GET", std::string(kKeys) + "?serviceAccountEmail=x@y.z").contains("items"));

  EXPECT_EQ(client_.Refusal("DELETE", key), "400 invalid");
  EXPECT_EQ(client_.Refusal("PUT", key, {{"state", "INACTIVE"}, {"etag", "MA=="}}), "412 conditionNotMet");
  EXPECT_EQ(client_.Answer("PUT", key, {{"state", "INACTIVE"}, {"etag", metadata.at("etag")}}).at("state"), "INACTIVE");
  EXPECT_EQ(client_.Status("PUT", key, {{"state", "DELETED"}}), 400);
  EXPECT_EQ(client_.Status("DELETE", key), 204);
  EXPECT_EQ(client_.Refusal("DELETE", key), "404 notFound");
  EXPECT_FALSE(client_.Answer("GET", kKeys).contains("items"));
  EXPECT_EQ(client_.Answer("GET", std::string(kKeys) + "?showDeletedKeys=true").at("items")[0].at("state"), "DELETED");
}

TEST_F(IamTest, HmacKeysComeInPages) {
  for (int i = 0; i < 3; ++i) client_.Answer("POST", std::string(kKeys) + "?serviceAccountEmail=a@b.c");
  const json first = client_.Answer("GET", std::string(kKeys) + "?maxResults=2");
  ASSERT_EQ(first.at("items").size(), 2);
  const std::string token = first.at("nextPageToken").get<std::string>();
  const json second = client_.Answer("GET", std::string(kKeys) + "?maxResults=2&pageToken=" + token);
  ASSERT_EQ(second.at("items").size(), 1);
  EXPECT_FALSE(second.contains("nextPageToken"));
}

TEST_F(IamTest, AProjectHasAServiceAccount) {
  const json account = client_.Answer("GET", "/storage/v1/projects/p/serviceAccount");
  EXPECT_EQ(account.at("kind"), "storage#serviceAccount");
  EXPECT_TRUE(account.contains("email_address"));
}

}  // namespace
}  // namespace gcsflux::emulator
