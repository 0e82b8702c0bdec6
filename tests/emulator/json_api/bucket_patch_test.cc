// Changes of buckets, over HTTP and in the store.

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"
#include "store/buckets/bucket.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

constexpr auto kBucket = "/storage/v1/b/bucket";

class BucketPatchTest : public EmulatorTest {
 protected:
  void SetUp() override { ASSERT_EQ(Call("POST", "/storage/v1/b", R"({"name":"bucket"})").status, 200); }

  RawResponse Call(const std::string& method, const std::string& target, const std::string& body = "") {
    return client_.Call(method, target, "", body);
  }
  json Answer(const std::string& method, const std::string& target, const std::string& body = "") {
    const RawResponse response = Call(method, target, body);
    EXPECT_EQ(response.status, 200) << response.body;
    return json::parse(response.body);
  }

 private:
  RawConnection client_{endpoint()};
};

TEST_F(BucketPatchTest, ChangesOnlyTheNamedFields) {
  const json before = Answer("GET", kBucket);
  emulator().clock().Advance(std::chrono::seconds(5));
  json after = Answer("PATCH", kBucket, R"({"labels":{"a":"1"}})");
  EXPECT_EQ(after.at("labels"), json({{"a", "1"}}));
  EXPECT_EQ(after.at("metageneration"), "2");
  EXPECT_GT(after.at("updated"), before.at("updated"));
  EXPECT_EQ(after.at("timeCreated"), before.at("timeCreated"));
  for (const char* changed : {"labels", "metageneration", "updated", "etag"}) after.erase(changed);
  for (const auto& [name, value] : after.items()) EXPECT_EQ(value, before.at(name)) << name;
}

TEST_F(BucketPatchTest, ShowsSinceWhenAutoclassIsOn) {
  emulator().clock().Freeze();
  const json on = Answer("PATCH", kBucket, R"({"autoclass":{"enabled":true}})").at("autoclass");
  EXPECT_EQ(on.at("terminalStorageClass"), "NEARLINE");
  EXPECT_EQ(on.at("toggleTime"), on.at("terminalStorageClassUpdateTime"));
  emulator().clock().Advance(std::chrono::seconds(5));
  const json colder = Answer("PATCH", kBucket, R"({"autoclass":{"terminalStorageClass":"ARCHIVE"}})").at("autoclass");
  EXPECT_EQ(colder.at("toggleTime"), on.at("toggleTime"));
  EXPECT_GT(colder.at("terminalStorageClassUpdateTime"), on.at("terminalStorageClassUpdateTime"));
  const json off = Answer("PATCH", kBucket, R"({"autoclass":{"enabled":false}})").at("autoclass");
  EXPECT_FALSE(off.contains("terminalStorageClass"));
  EXPECT_GT(off.at("toggleTime"), on.at("toggleTime"));
}

TEST_F(BucketPatchTest, MergesObjectsAndReplacesLists) {
  Answer("PATCH", kBucket, R"({"website":{"mainPageSuffix":"a"},"cors":[{"origin":["x"]},{"origin":["y"]}]})");
  const json patched = Answer("PATCH", kBucket, R"({"website":{"notFoundPage":"b"},"cors":[{"origin":["z"]}]})");
  EXPECT_EQ(patched.at("website"), json::parse(R"({"mainPageSuffix":"a","notFoundPage":"b"})"));
  EXPECT_EQ(patched.at("cors"), json::parse(R"([{"origin":["z"]}])"));
  EXPECT_FALSE(Answer("PATCH", kBucket, R"({"cors":null})").contains("cors"));
}

TEST_F(BucketPatchTest, TreatsEmptySettingsAsUnset) {
  Answer("PATCH", kBucket, R"({"lifecycle":{"rule":[{"action":{"type":"Delete"},"condition":{"age":1}}]}})");
  for (const char* empty : {R"({"lifecycle":{"rule":[]}})", R"({"cors":[]})", R"({"labels":{}})"}) {
    const json patched = Answer("PATCH", kBucket, empty);
    for (const char* name : {"lifecycle", "cors", "labels"}) EXPECT_FALSE(patched.contains(name)) << empty;
  }
}

TEST_F(BucketPatchTest, IgnoresFieldsThatOnlyTheServiceSets) {
  const json patched =
      Answer("PATCH", kBucket, R"({"name":"other","metageneration":"9","location":"EU","nonsense":1})");
  EXPECT_EQ(patched.at("name"), "bucket");
  EXPECT_EQ(patched.at("metageneration"), "2");
  EXPECT_EQ(patched.at("location"), "US");
  EXPECT_FALSE(patched.contains("nonsense"));
}

TEST_F(BucketPatchTest, UpdateKeepsMandatoryFields) {
  Answer("PATCH", kBucket, R"({"storageClass":"NEARLINE","softDeletePolicy":{"retentionDurationSeconds":604800}})");
  const json updated = Answer("PUT", kBucket, R"({"billing":{"requesterPays":true}})");
  EXPECT_EQ(updated.at("storageClass"), "NEARLINE");
  EXPECT_EQ(updated.at("softDeletePolicy").at("retentionDurationSeconds"), "604800");
  EXPECT_EQ(updated.at("billing").at("requesterPays"), true);
  EXPECT_EQ(Answer("PATCH", kBucket, R"({"storageClass":null})").at("storageClass"), "STANDARD");
}

TEST_F(BucketPatchTest, NamesTheWrongField) {
  struct Case {
    std::string patch;
    std::string field;
  };
  for (const Case& c : {Case{R"({"lifecycle":{"rule":[{"condition":{"age":"old"}}]}})", "lifecycle.rule.condition.age"},
                        Case{R"({"labels":{"a":7}})", "labels.a"}, Case{R"({"storageClass":"MARBLE"})", "storageClass"},
                        Case{R"({"defaultEventBasedHold":"yes"})", "defaultEventBasedHold"},
                        Case{R"({"retentionPolicy":{"retentionPeriod":"0"}})", "retentionPolicy.retentionPeriod"},
                        Case{R"({"softDeletePolicy":{"retentionDurationSeconds":"7 days"}})",
                             "softDeletePolicy.retentionDurationSeconds"}}) {
    const RawResponse response = Call("PATCH", kBucket, c.patch);
    EXPECT_EQ(response.status, 400) << c.patch;
    EXPECT_NE(response.body.find("'" + c.field + "'"), std::string::npos) << response.body;
  }
  EXPECT_EQ(Answer("GET", kBucket).at("metageneration"), "1");
}

TEST_F(BucketPatchTest, ShowsTheStartOfARetentionPolicy) {
  const json set = Answer("PATCH", kBucket, R"({"retentionPolicy":{"retentionPeriod":60}})");
  EXPECT_EQ(set.at("retentionPolicy").at("retentionPeriod"), "60");
  EXPECT_EQ(set.at("retentionPolicy").at("effectiveTime"), set.at("updated"));
  emulator().clock().Advance(std::chrono::seconds(5));
  EXPECT_EQ(Answer("PATCH", kBucket, R"({"labels":{"a":"1"}})").at("retentionPolicy"), set.at("retentionPolicy"));
  const json longer = Answer("PATCH", kBucket, R"({"retentionPolicy":{"retentionPeriod":"90"}})");
  EXPECT_EQ(longer.at("retentionPolicy").at("effectiveTime"), longer.at("updated"));
}

TEST_F(BucketPatchTest, ShowsOnlyTheRequestedFields) {
  const std::string labels = R"({"labels":{"a":"1","b":"2"},"cors":[{"origin":["x"],"method":["GET"]}]})";
  EXPECT_EQ(Answer("PATCH", std::string(kBucket) + "?fields=labels/a,cors(method)", labels),
            json::parse(R"({"labels":{"a":"1"},"cors":[{"method":["GET"]}]})"));
}

TEST_F(BucketPatchTest, ShowsAccessControlsOnRequest) {
  EXPECT_FALSE(Answer("GET", std::string(kBucket) + "?projection=noAcl").contains("acl"));
  const json full = Answer("GET", std::string(kBucket) + "?projection=full");
  for (const char* name : {"owner", "acl", "defaultObjectAcl"}) EXPECT_TRUE(full.contains(name)) << name;
  EXPECT_EQ(Call("GET", std::string(kBucket) + "?projection=some").status, 400);
}

TEST_F(BucketPatchTest, DerivesTheLocationType) {
  for (const auto& [location, type] :
       {std::pair("eu", "multi-region"), std::pair("nam4", "dual-region"), std::pair("europe-west4", "region")}) {
    const std::string name = "b-" + std::string(location);
    const json bucket = Answer("POST", "/storage/v1/b", json({{"name", name}, {"location", location}}).dump());
    EXPECT_EQ(bucket.at("locationType"), type) << location;
  }
  EXPECT_EQ(Answer("GET", "/storage/v1/b/b-europe-west4").at("location"), "EUROPE-WEST4");
}

TEST(BucketProject, IsRequiredWithoutADefault) {
  Emulator emulator({.project = ""});
  RawConnection client(emulator.endpoint());
  for (const char* method : {"GET", "POST"}) {
    const RawResponse refused = client.Call(method, "/storage/v1/b", "", R"({"name":"bucket"})");
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(json::parse(refused.body).at("error").at("errors").at(0).at("reason"), "required");
    EXPECT_EQ(client.Call(method, "/storage/v1/b?project=p", "", R"({"name":"bucket"})").status, 200);
  }
}

TEST(BucketSoftDelete, HasTheConfiguredDefault) {
  Emulator emulator({.default_soft_delete = std::chrono::hours(24 * 7)});
  RawConnection client(emulator.endpoint());
  const json bucket = json::parse(client.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").body);
  EXPECT_EQ(bucket.at("softDeletePolicy").at("retentionDurationSeconds"), "604800");
  EXPECT_EQ(bucket.at("softDeletePolicy").at("effectiveTime"), bucket.at("timeCreated"));
}

TEST(BucketChange, RetriesOnARivalsVersion) {
  Store store([] { return Time(std::chrono::seconds(1'800'000'000)); });
  ASSERT_TRUE(store.InsertBucket({.name = "bucket"}));
  const auto bucket = *store.FindBucket("bucket");
  const BucketInfoChange rival = [](BucketInfo& info) -> Outcome<void> {
    info.settings["rival"] = "1";
    return {};
  };
  int calls = 0;
  const auto changed = bucket->ChangeInfo({}, [&](BucketInfo& info) -> Outcome<void> {
    if (++calls == 1) {
      EXPECT_TRUE(bucket->ChangeInfo({}, rival));
    }
    info.settings["mine"] = "1";
    return {};
  });
  ASSERT_TRUE(changed);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ((*changed)->metageneration, 3);
  EXPECT_EQ((*changed)->settings.size(), 2U);
}

TEST(BucketChange, IsRefusedAfterTheBucketsDeletion) {
  Store store([] { return Time(std::chrono::seconds(1'800'000'000)); });
  ASSERT_TRUE(store.InsertBucket({.name = "bucket"}));
  const auto bucket = *store.FindBucket("bucket");
  ASSERT_TRUE(store.DeleteBucket("bucket"));
  const auto changed = bucket->ChangeInfo({}, [](BucketInfo&) -> Outcome<void> { return {}; });
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().kind, FailureKind::kNotFound);
}

}  // namespace
}  // namespace gcsflux::emulator
