// Soft delete: objects and buckets that were deleted, and how they become live again.

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "emulator/support/json_client.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;
using std::chrono::hours;

constexpr hours kWeek{7 * 24};
const std::string kBuckets = "/storage/v1/b";
const std::string kKeptObjects = "/storage/v1/b/bucket/o";

class SoftDeleteTest : public EmulatorTest {
 protected:
  SoftDeleteTest() : EmulatorTest({.default_soft_delete = kWeek}) {}
  void SetUp() override { client_.Answer("POST", kBuckets, {{"name", "bucket"}}); }

  std::string Insert(const std::string& name) {
    EXPECT_EQ(client_.Insert("bucket", name), 200);
    return client_.Answer("GET", kKeptObjects + "/" + name).at("generation");
  }
  std::string InsertAndDelete(const std::string& name) {
    std::string generation = Insert(name);
    EXPECT_EQ(client_.Status("DELETE", kKeptObjects + "/" + name), 204);
    return generation;
  }
  // "name generation" of each
  std::vector<std::string> Listed(const std::string& query) {
    std::vector<std::string> listed;
    for (const json& item : client_.Answer("GET", kKeptObjects + query).value("items", json::array())) {
      listed.push_back(item.at("name").get<std::string>() + " " + item.at("generation").get<std::string>());
    }
    return listed;
  }
  std::vector<std::string> SoftDeleted() { return Listed("?softDeleted=true"); }
  static std::string Restore(const std::string& name, const std::string& generation, const std::string& more = "") {
    return kKeptObjects + "/" + name + "/restore?generation=" + generation + more;
  }
  void SetPolicy(int seconds) {
    const json policy = {{"retentionDurationSeconds", std::to_string(seconds)}};
    client_.Answer("PATCH", kBuckets + "/bucket", {{"softDeletePolicy", policy}});
  }
  std::uint64_t StoredBytes() {
    const std::string metrics = RawConnection(endpoint()).Call("GET", "/_emulator/metrics").body;
    const std::string name = "\ngcsflux_emulator_stored_bytes ";
    return std::stoull(metrics.substr(metrics.find(name) + name.size()));
  }

  JsonClient client_{endpoint()};
};

TEST_F(SoftDeleteTest, DeletedAndReplacedObjectsAreKeptUntilTheirTime) {
  const std::string first = Insert("a");
  const std::string second = InsertAndDelete("a");
  const std::string shown = kKeptObjects + "/a?softDeleted=true&generation=" + first;
  EXPECT_EQ(client_.Status("GET", kKeptObjects + "/a"), 404);
  EXPECT_EQ(SoftDeleted(), (std::vector{"a " + first, "a " + second}));
  const json object = client_.Answer("GET", shown);
  EXPECT_TRUE(object.contains("softDeleteTime") && object.contains("hardDeleteTime")) << object;
  EXPECT_EQ(StoredBytes(), 20U);
  emulator().clock().Advance(kWeek + hours(1));
  EXPECT_EQ(client_.Status("GET", shown), 404);
  EXPECT_EQ(SoftDeleted(), std::vector<std::string>());
  EXPECT_EQ(StoredBytes(), 0U);
}

TEST_F(SoftDeleteTest, ARestoredObjectIsANewGeneration) {
  const json metadata = {{"metadata", {{"k", "v"}}}, {"contentType", "a/b"}};
  const std::string generation = Insert("a");
  client_.Answer("PATCH", kKeptObjects + "/a", metadata);
  ASSERT_EQ(client_.Status("DELETE", kKeptObjects + "/a"), 204);
  const json restored = client_.Answer("POST", Restore("a", generation));
  EXPECT_GT(restored.at("generation"), generation);
  EXPECT_EQ(restored.at("metageneration"), "1");
  EXPECT_EQ(restored.at("contentType"), "a/b");
  EXPECT_EQ(restored.at("metadata").at("k"), "v");
  EXPECT_FALSE(restored.contains("softDeleteTime"));
  EXPECT_EQ(RawConnection(endpoint()).Call("GET", kKeptObjects + "/a?alt=media").body, "0123456789");
  EXPECT_EQ(SoftDeleted(), std::vector{"a " + generation}) << "it can be restored again";
}

TEST_F(SoftDeleteTest, ALiveObjectIsReplacedByARestoreOnlyAsItsConditionsSay) {
  const std::string old = InsertAndDelete("a");
  const std::string live = Insert("a");
  EXPECT_EQ(client_.Refusal("POST", Restore("a", old, "&ifGenerationMatch=0")), "412 conditionNotMet");
  EXPECT_EQ(client_.Refusal("POST", Restore("a", old, "&ifMetagenerationMatch=7")), "412 conditionNotMet");
  EXPECT_EQ(Listed(""), std::vector{"a " + live});
  client_.Answer("POST", Restore("a", old, "&ifGenerationMatch=" + live));
  EXPECT_EQ(SoftDeleted(), (std::vector{"a " + old, "a " + live}));
}

TEST_F(SoftDeleteTest, WhatCannotBeRestoredIsRefused) {
  const std::string generation = InsertAndDelete("a");
  const std::string live = Insert("b");
  EXPECT_EQ(client_.Refusal("POST", kKeptObjects + "/a/restore"), "400 required");
  EXPECT_EQ(client_.Refusal("POST", Restore("a", "1")), "404 notFound");
  EXPECT_EQ(client_.Refusal("POST", Restore("b", live)), "404 notFound");
  EXPECT_EQ(client_.Refusal("POST", Restore("a", generation, "&restoreToken=x")), "501 notImplemented");
  EXPECT_EQ(client_.Refusal("GET", kKeptObjects + "/a?softDeleted=true"), "400 required");
  EXPECT_EQ(client_.Status("GET", kKeptObjects + "/a?alt=media&softDeleted=true&generation=" + generation), 400);
  SetPolicy(0);
  EXPECT_EQ(client_.Refusal("POST", Restore("a", generation)), "400 softDeletePolicyRequired");
  EXPECT_EQ(client_.Refusal("POST", kKeptObjects + "/bulkRestore", json::object()), "400 softDeletePolicyRequired");
}

TEST_F(SoftDeleteTest, OnlyWhatIsDeletedForGoodIsSoftDeleted) {
  client_.Answer("PATCH", kBuckets + "/bucket", {{"versioning", {{"enabled", true}}}});
  const std::string generation = InsertAndDelete("a");
  EXPECT_EQ(SoftDeleted(), std::vector<std::string>()) << "it is noncurrent";
  EXPECT_EQ(client_.Status("DELETE", kKeptObjects + "/a?generation=" + generation), 204);
  EXPECT_EQ(SoftDeleted(), std::vector{"a " + generation});
  EXPECT_EQ(Listed("?versions=true"), std::vector<std::string>());
}

TEST_F(SoftDeleteTest, ComposedAndMovedSourcesAreNotKept) {
  Insert("a");
  Insert("b");
  client_.Answer("POST", kKeptObjects + "/c/compose",
                 {{"sourceObjects", {{{"name", "a"}}}}, {"deleteSourceObjects", true}});
  client_.Answer("POST", kKeptObjects + "/b/moveTo/o/d");
  EXPECT_EQ(SoftDeleted(), std::vector<std::string>());
}

TEST_F(SoftDeleteTest, AnAccessListIsRestoredIfAskedFor) {
  const std::string generation = Insert("a");
  client_.Answer("POST", kKeptObjects + "/a/acl", {{"entity", "allUsers"}, {"role", "READER"}});
  ASSERT_EQ(client_.Status("DELETE", kKeptObjects + "/a"), 204);
  const auto is_public = [&](const std::string& more) {
    return client_.Answer("POST", Restore("a", generation, "&projection=full" + more)).dump().find("allUsers") !=
           std::string::npos;
  };
  EXPECT_FALSE(is_public(""));
  EXPECT_TRUE(is_public("&copySourceAcl=true"));
}

TEST_F(SoftDeleteTest, ManyObjectsAreRestoredByAnOperation) {
  for (const char* name : {"x%2F1", "x%2F1", "x%2F2", "y"}) InsertAndDelete(name);
  Insert("x%2F2");
  const json operation = client_.Answer("POST", kKeptObjects + "/bulkRestore", {{"matchGlobs", {"x/*"}}});
  EXPECT_EQ(operation.at("kind"), "storage#operation");
  EXPECT_TRUE(operation.at("done").get<bool>());
  EXPECT_EQ(Listed("?fields=items(name,generation)").size(), 2U) << "y was not asked for";
  const std::string name = operation.at("name");
  const std::string path = kBuckets + name.substr(name.find("/bucket/"));
  EXPECT_EQ(client_.Answer("GET", path), operation);
  EXPECT_EQ(client_.Answer("GET", kBuckets + "/bucket/operations").at("operations").size(), 1U);
  EXPECT_EQ(client_.Status("POST", path + "/cancel"), 204);
  EXPECT_EQ(client_.Status("GET", path + "0"), 404);
  for (const json& bad : {json{{"matchGlobs", {"["}}}, json{{"createdAfterTime", "soon"}}, json{{"matchGlobs", "x"}}}) {
    EXPECT_EQ(client_.Status("POST", kKeptObjects + "/bulkRestore", bad), 400) << bad;
  }
}

TEST_F(SoftDeleteTest, ABulkRestoreTakesTheTimesThatItNames) {
  InsertAndDelete("a");
  const std::string between = "2100-01-01T00:00:00Z";
  const auto restored = [&](const char* member) {
    client_.Answer("POST", kKeptObjects + "/bulkRestore", {{member, between}});
    return !Listed("").empty();
  };
  EXPECT_FALSE(restored("softDeletedAfterTime"));
  EXPECT_FALSE(restored("createdAfterTime"));
  EXPECT_TRUE(restored("softDeletedBeforeTime"));
  EXPECT_TRUE(restored("createdBeforeTime"));
}

TEST_F(SoftDeleteTest, ADeletedBucketIsRestoredWithWhatItCanRestore) {
  const std::string object = InsertAndDelete("a");
  const std::string generation = client_.Answer("GET", kBuckets + "/bucket").at("generation");
  const std::string query = "?softDeleted=true&generation=" + generation;
  ASSERT_EQ(client_.Status("DELETE", kBuckets + "/bucket"), 204);
  EXPECT_EQ(client_.Status("GET", kBuckets + "/bucket"), 404);
  EXPECT_TRUE(client_.Answer("GET", kBuckets + "/bucket" + query).contains("hardDeleteTime"));
  EXPECT_EQ(client_.Answer("GET", kBuckets + "?softDeleted=true").at("items").size(), 1U);

  client_.Answer("POST", kBuckets, {{"name", "bucket"}});
  const std::string restore = kBuckets + "/bucket/restore?generation=" + generation;
  EXPECT_EQ(client_.Refusal("POST", restore), "409 conflict");
  ASSERT_EQ(client_.Status("DELETE", kBuckets + "/bucket"), 204);
  EXPECT_EQ(client_.Answer("GET", kBuckets + "?softDeleted=true&maxResults=1").at("items").size(), 1U);
  const json restored = client_.Answer("POST", restore);
  EXPECT_EQ(restored.at("generation"), generation);
  EXPECT_FALSE(restored.contains("softDeleteTime"));
  client_.Answer("POST", Restore("a", object));
  EXPECT_EQ(Listed("").size(), 1U);
  EXPECT_EQ(client_.Status("POST", restore), 404) << "it is live";
}

TEST_F(SoftDeleteTest, ADeletedBucketIsGoneAfterItsTime) {
  InsertAndDelete("a");
  const std::string generation = client_.Answer("GET", kBuckets + "/bucket").at("generation");
  ASSERT_EQ(client_.Status("DELETE", kBuckets + "/bucket"), 204);
  emulator().clock().Advance(kWeek + hours(1));
  EXPECT_FALSE(client_.Answer("GET", kBuckets + "?softDeleted=true").contains("items"));
  EXPECT_EQ(client_.Refusal("POST", kBuckets + "/bucket/restore?generation=" + generation), "404 notFound");
  EXPECT_EQ(client_.Refusal("POST", kBuckets + "/bucket/restore"), "400 required");
  EXPECT_EQ(StoredBytes(), 0U);
}

TEST_F(SoftDeleteTest, PagesOfDeletedBucketsShowEachOnce) {
  for (const char* name : {"bucket", "bucket", "other"}) {
    client_.Call("POST", kBuckets, {{"name", name}});
    ASSERT_EQ(client_.Status("DELETE", kBuckets + "/" + name), 204);
  }
  std::vector<std::string> names;
  std::string token;
  do {
    const json page = client_.Answer("GET", kBuckets + "?softDeleted=true&maxResults=1&pageToken=" + token);
    names.push_back(page.at("items").at(0).at("name"));
    token = page.value("nextPageToken", "");
  } while (!token.empty());
  EXPECT_EQ(names, (std::vector<std::string>{"bucket", "bucket", "other"}));
}

TEST_F(SoftDeleteTest, ASnapshotHasWhatWasDeleted) {
  const std::string generation = InsertAndDelete("a");
  RawConnection admin(endpoint());
  ASSERT_EQ(admin.Call("POST", "/_emulator/snapshot").status, 204);
  ASSERT_EQ(client_.Status("DELETE", kBuckets + "/bucket"), 204);
  ASSERT_EQ(admin.Call("POST", "/_emulator/restore").status, 204);
  EXPECT_EQ(SoftDeleted(), std::vector{"a " + generation});
  EXPECT_FALSE(client_.Answer("GET", kBuckets + "?softDeleted=true").contains("items"));
}

TEST(SoftDelete, IsOffByDefault) {
  Emulator emulator{{}};
  JsonClient client(emulator.endpoint());
  client.Answer("POST", kBuckets, {{"name", "bucket"}});
  EXPECT_EQ(client.Insert("bucket", "a"), 200);
  EXPECT_EQ(client.Status("DELETE", kKeptObjects + "/a"), 204);
  EXPECT_EQ(client.Status("GET", kKeptObjects + "?softDeleted=true"), 400);
  EXPECT_EQ(client.Status("DELETE", kBuckets + "/bucket"), 204);
  EXPECT_FALSE(client.Answer("GET", kBuckets + "?softDeleted=true").contains("items"));
}

}  // namespace
}  // namespace gcsflux::emulator
