// Access control lists of buckets, of new objects and of objects.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "emulator/support/json_client.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

constexpr auto kBucket = "/storage/v1/b/bucket";
constexpr auto kObject = "/storage/v1/b/bucket/o/object";
const json kPublic = {{"entity", "allUsers"}, {"role", "READER"}};
const json kUniform = {{"iamConfiguration", {{"uniformBucketLevelAccess", {{"enabled", true}}}}}};
const json kPrevention = {{"iamConfiguration", {{"publicAccessPrevention", "enforced"}}}};

class AclTest : public EmulatorTest {
 protected:
  void SetUp() override {
    client_.Answer("POST", "/storage/v1/b", {{"name", "bucket"}});
    ASSERT_EQ(client_.Insert("bucket", "object"), 200);
  }

  // {"entity": "role"}
  json Acl(const std::string& path) {
    json roles = json::object();
    for (const json& entry : client_.Answer("GET", path).value("items", json::array())) {
      roles[entry.at("entity").get<std::string>()] = entry.at("role");
    }
    return roles;
  }

  JsonClient client_{endpoint()};
};

struct ListCase {
  const char* path;
  const char* kind;
};
const ListCase kLists[] = {{"/storage/v1/b/bucket/acl", "storage#bucketAccessControl"},
                           {"/storage/v1/b/bucket/defaultObjectAcl", "storage#objectAccessControl"},
                           {"/storage/v1/b/bucket/o/object/acl", "storage#objectAccessControl"}};

TEST_F(AclTest, BeginsAsPrivateToTheProject) {
  const json want = {{"project-owners-0", "OWNER"}, {"project-editors-0", "OWNER"}, {"project-viewers-0", "READER"}};
  for (const ListCase& list : kLists) EXPECT_EQ(Acl(list.path), want) << list.path;
}

TEST_F(AclTest, EntriesAreInsertedChangedAndDeleted) {
  for (const ListCase& list : kLists) {
    const std::string entry = std::string(list.path) + "/user-a@b.c";
    const json made = client_.Answer("POST", list.path, {{"entity", "user-a@b.c"}, {"role", "READER"}});
    EXPECT_EQ(made.at("kind"), list.kind);
    EXPECT_EQ(made.at("email"), "a@b.c");
    EXPECT_EQ(client_.Answer("GET", entry), made) << list.path;
    EXPECT_EQ(client_.Answer("PATCH", entry, {{"role", "OWNER"}}).at("role"), "OWNER") << list.path;
    EXPECT_EQ(client_.Answer("PUT", entry, {{"role", "READER"}}).at("role"), "READER") << list.path;
    EXPECT_EQ(Acl(list.path).at("user-a@b.c"), "READER") << list.path;
    EXPECT_EQ(client_.Status("DELETE", entry), 204) << list.path;
    for (const char* method : {"GET", "DELETE"}) EXPECT_EQ(client_.Refusal(method, entry), "404 notFound");
    EXPECT_EQ(client_.Refusal("PATCH", entry, {{"role", "OWNER"}}), "404 notFound") << list.path;
    EXPECT_FALSE(Acl(list.path).contains("user-a@b.c")) << list.path;
  }
}

TEST_F(AclTest, RefusesEntriesThatCannotBe) {
  const json wrong[] = {{{"entity", "allUsers"}},
                        {{"role", "READER"}},
                        {{"entity", "me"}, {"role", "READER"}},
                        {{"entity", "user-"}, {"role", "READER"}},
                        {{"entity", "allUsers"}, {"role", "ADMIN"}}};
  for (const ListCase& list : kLists) {
    for (const json& entry : wrong) EXPECT_EQ(client_.Status("POST", list.path, entry), 400) << list.path << entry;
  }
  const json writer = {{"entity", "allUsers"}, {"role", "WRITER"}};
  EXPECT_EQ(client_.Status("POST", std::string(kObject) + "/acl", writer), 400);
  EXPECT_EQ(client_.Status("POST", std::string(kBucket) + "/acl", writer), 200);
}

TEST_F(AclTest, RaisesTheMetageneration) {
  client_.Answer("POST", std::string(kBucket) + "/acl", kPublic);
  client_.Answer("POST", std::string(kObject) + "/acl", kPublic);
  EXPECT_EQ(client_.Answer("GET", kBucket).at("metageneration"), "2");
  EXPECT_EQ(client_.Answer("GET", kObject).at("metageneration"), "2");
}

TEST_F(AclTest, IsShownByTheFullProjectionOnly) {
  for (const char* path : {kBucket, kObject}) {
    EXPECT_FALSE(client_.Answer("GET", path).contains("acl")) << path;
    const json full = client_.Answer("GET", std::string(path) + "?projection=full");
    EXPECT_EQ(full.at("acl").size(), 3) << path;
    EXPECT_TRUE(full.contains("owner")) << path;
  }
}

TEST_F(AclTest, OfNewObjectsIsTheBucketsDefault) {
  client_.Answer("POST", std::string(kBucket) + "/defaultObjectAcl", kPublic);
  ASSERT_EQ(client_.Insert("bucket", "new"), 200);
  EXPECT_EQ(Acl("/storage/v1/b/bucket/o/new/acl").at("allUsers"), "READER");
  EXPECT_FALSE(Acl(std::string(kObject) + "/acl").contains("allUsers"));
}

struct PredefinedCase {
  const char* method;
  const char* target;
  json body;
  const char* list;
};

TEST_F(AclTest, TakesPredefinedListsInEveryRequestThatWrites) {
  const json none = json::object();
  const PredefinedCase cases[] = {
      {"POST", "/storage/v1/b?predefinedAcl=publicRead", {{"name", "new"}}, "/storage/v1/b/new/acl"},
      {"POST",
       "/storage/v1/b?predefinedDefaultObjectAcl=publicRead",
       {{"name", "other"}},
       "/storage/v1/b/other/defaultObjectAcl"},
      {"PATCH", "/storage/v1/b/bucket?predefinedAcl=publicRead", none, "/storage/v1/b/bucket/acl"},
      {"PUT", "/storage/v1/b/bucket?predefinedAcl=publicRead", none, "/storage/v1/b/bucket/acl"},
      {"PATCH", "/storage/v1/b/bucket/o/object?predefinedAcl=publicRead", none, "/storage/v1/b/bucket/o/object/acl"},
      {"PUT", "/storage/v1/b/bucket/o/object?predefinedAcl=publicRead", none, "/storage/v1/b/bucket/o/object/acl"},
      {"POST",
       "/storage/v1/b/bucket/o/a/compose?destinationPredefinedAcl=publicRead",
       {{"sourceObjects", {{{"name", "object"}}}}},
       "/storage/v1/b/bucket/o/a/acl"},
      {"POST", "/storage/v1/b/bucket/o/object/copyTo/b/bucket/o/b?destinationPredefinedAcl=publicRead", none,
       "/storage/v1/b/bucket/o/b/acl"},
      {"POST", "/storage/v1/b/bucket/o/object/rewriteTo/b/bucket/o/c?destinationPredefinedAcl=publicRead", none,
       "/storage/v1/b/bucket/o/c/acl"},
      {"POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=d&predefinedAcl=publicRead", none,
       "/storage/v1/b/bucket/o/d/acl"},
  };
  for (const PredefinedCase& c : cases) {
    std::string wrong = c.target;
    wrong.replace(wrong.find("publicRead"), 10, "open");
    EXPECT_EQ(client_.Status(c.method, wrong, c.body), 400) << wrong;
    EXPECT_EQ(client_.Status(c.method, c.target, c.body), 200) << c.target;
    EXPECT_EQ(Acl(c.list).value("allUsers", ""), "READER") << c.target;
  }
}

TEST_F(AclTest, IsPartOfAResource) {
  client_.Answer("PATCH", kObject, {{"acl", {kPublic}}});
  client_.Answer("PATCH", kBucket, {{"acl", {kPublic}}, {"defaultObjectAcl", {kPublic}}});
  for (const ListCase& list : kLists) EXPECT_EQ(Acl(list.path).at("allUsers"), "READER") << list.path;
  EXPECT_EQ(client_.Status("PATCH", kObject, {{"acl", {{{"entity", "allUsers"}, {"role", "WRITER"}}}}}), 400);
  EXPECT_EQ(client_.Status("PATCH", kBucket, {{"acl", "allUsers"}}), 400);
}

TEST_F(AclTest, IsNotCopied) {
  client_.Answer("POST", std::string(kObject) + "/acl", kPublic);
  client_.Answer("POST", std::string(kObject) + "/copyTo/b/bucket/o/copy", json::object());
  EXPECT_FALSE(Acl("/storage/v1/b/bucket/o/copy/acl").contains("allUsers"));
}

TEST_F(AclTest, IsOfNoUseUnderUniformAccess) {
  client_.Answer("PATCH", kBucket, kUniform);
  for (const ListCase& list : kLists) {
    EXPECT_EQ(client_.Refusal("GET", list.path), "400 invalid") << list.path;
    EXPECT_EQ(client_.Refusal("POST", list.path, kPublic), "400 invalid") << list.path;
  }
  EXPECT_EQ(client_.Status("PATCH", kObject, {{"acl", {kPublic}}}), 400);
  EXPECT_EQ(client_.Status("PATCH", kBucket, {{"acl", {kPublic}}}), 400);
  EXPECT_EQ(client_.Insert("bucket", "new", "&predefinedAcl=publicRead"), 400);
  EXPECT_FALSE(client_.Answer("GET", std::string(kObject) + "?projection=full").contains("acl"));
  EXPECT_FALSE(client_.Answer("GET", std::string(kBucket) + "?projection=full").contains("acl"));
}

TEST_F(AclTest, IsNeverPublicWherePublicAccessIsPrevented) {
  client_.Answer("PATCH", kBucket, kPrevention);
  for (const ListCase& list : kLists) {
    EXPECT_EQ(client_.Refusal("POST", list.path, kPublic), "412 conditionNotMet") << list.path;
  }
  EXPECT_EQ(client_.Status("PATCH", kObject, {{"acl", {kPublic}}}), 412);
  EXPECT_EQ(client_.Status("PATCH", kBucket, {{"acl", {kPublic}}}), 412);
  EXPECT_EQ(client_.Insert("bucket", "new", "&predefinedAcl=publicRead"), 412);
}

TEST_F(AclTest, UniformAccessCanBeTurnedOffFor90Days) {
  const json on = client_.Answer("PATCH", kBucket, kUniform).at("iamConfiguration");
  EXPECT_EQ(on.at("bucketPolicyOnly"), on.at("uniformBucketLevelAccess"));
  EXPECT_TRUE(on.at("uniformBucketLevelAccess").contains("lockedTime"));
  const json off = {{"iamConfiguration", {{"uniformBucketLevelAccess", {{"enabled", false}}}}}};
  EXPECT_EQ(client_.Status("PATCH", kBucket, off), 200);
  client_.Answer("PATCH", kBucket, kUniform);
  emulator().clock().Advance(std::chrono::hours(91 * 24));
  EXPECT_EQ(client_.Status("PATCH", kBucket, off), 400);
}

TEST_F(AclTest, IsSetByHeadersOfTheXmlApi) {
  RawConnection xml(endpoint());
  ASSERT_EQ(xml.Call("PUT", "/bucket/x", "x-goog-acl: public-read\r\n", "1").status, 200);
  ASSERT_EQ(xml.Call("PUT", "/bucket/y", "x-amz-acl: authenticated-read\r\n", "1").status, 200);
  EXPECT_EQ(xml.Call("PUT", "/bucket/z", "x-goog-acl: open\r\n", "1").status, 400);
  EXPECT_EQ(Acl("/storage/v1/b/bucket/o/x/acl").at("allUsers"), "READER");
  EXPECT_EQ(Acl("/storage/v1/b/bucket/o/y/acl").at("allAuthenticatedUsers"), "READER");
}

}  // namespace
}  // namespace gcsflux::emulator
