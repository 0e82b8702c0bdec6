// Lifecycle rules, and when the clock carries them out.

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "emulator/support/json_client.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;
using std::chrono::hours;

const std::string kRuledBucket = "/storage/v1/b/bucket";
const std::string kRuledObjects = "/storage/v1/b/bucket/o";
constexpr hours kDay{24};
using Names = std::vector<std::string>;

json Rule(const json& action, const json& condition) { return {{"action", action}, {"condition", condition}}; }
json Delete(const json& condition) { return Rule({{"type", "Delete"}}, condition); }
json SetClass(const std::string& storage_class, const json& condition) {
  return Rule({{"type", "SetStorageClass"}, {"storageClass", storage_class}}, condition);
}

class LifecycleTest : public EmulatorTest {
 protected:
  void SetUp() override { client_.Answer("POST", "/storage/v1/b", {{"name", "bucket"}}); }

  void SetRules(const std::vector<json>& rules) {
    client_.Answer("PATCH", kRuledBucket, {{"lifecycle", {{"rule", rules}}}});
  }
  void SetVersioning() { client_.Answer("PATCH", kRuledBucket, {{"versioning", {{"enabled", true}}}}); }
  std::vector<std::string> Listed(const std::string& query = "") {
    std::vector<std::string> names;
    for (const json& item : client_.Answer("GET", kRuledObjects + query).value("items", json::array())) {
      names.push_back(item.at("name"));
    }
    return names;
  }
  std::string ClassOf(const std::string& name) {
    return client_.Answer("GET", kRuledObjects + "/" + name).at("storageClass");
  }
  static std::string InDays(int days) {
    const auto time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now() + days * kDay);
    std::string text(10, ' ');
    std::tm parts{};
    (void)std::strftime(text.data(), text.size() + 1, "%Y-%m-%d", gmtime_r(&time, &parts));
    return text;
  }

  JsonClient client_{endpoint()};
};

TEST_F(LifecycleTest, ObjectsAreDeletedAtTheirAge) {
  SetRules({Delete({{"age", 3}})});
  ASSERT_EQ(client_.Insert("bucket", "a"), 200);
  emulator().clock().Advance(2 * kDay);
  EXPECT_EQ(Listed(), Names{"a"});
  ASSERT_EQ(client_.Insert("bucket", "b"), 200);
  emulator().clock().Advance(kDay);
  EXPECT_EQ(Listed(), Names{"b"});
}

// What one rule deletes of: old.txt, stored in NEARLINE, and dir/new.log, which has two bytes more and a custom time.
TEST_F(LifecycleTest, ConditionsSelectObjects) {
  struct Case {
    json condition;
    Names left;
  };
  const std::vector<Case> cases = {
      {{{"age", 5}}, {"dir/new.log"}},
      {{{"age", 50}}, {"dir/new.log", "old.txt"}},
      {{{"matchesPrefix", {"dir/", "x"}}}, {"old.txt"}},
      {{{"matchesSuffix", {".txt"}}}, {"dir/new.log"}},
      {{{"matchesStorageClass", {"NEARLINE", "ARCHIVE"}}}, {"dir/new.log"}},
      {{{"customTimeBefore", "2020-01-02"}}, {"old.txt"}},
      {{{"customTimeBefore", "2020-01-01"}}, {"dir/new.log", "old.txt"}},
      {{{"daysSinceCustomTime", 30}}, {"old.txt"}},
      {{{"sizeAboveBytes", "10"}}, {"old.txt"}},
      {{{"sizeBelowBytes", 11}}, {"dir/new.log"}},
      {{{"isLive", true}}, {}},
      {{{"isLive", false}}, {"dir/new.log", "old.txt"}},
      {{{"numNewerVersions", 1}}, {"dir/new.log", "old.txt"}},
      {{{"age", 5}, {"matchesPrefix", {"dir/"}}}, {"dir/new.log", "old.txt"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.condition.dump());
    emulator().Reset();
    SetUp();
    client_.Answer("PATCH", kRuledBucket, {{"storageClass", "NEARLINE"}});
    ASSERT_EQ(client_.Insert("bucket", "old.txt"), 200);
    client_.Answer("PATCH", kRuledBucket, {{"storageClass", "STANDARD"}});
    emulator().clock().Advance(5 * kDay);
    RawConnection other(endpoint());
    ASSERT_EQ(
        other.Call("PUT", "/bucket/dir/new.log", "x-goog-custom-time: 2020-01-01T12:00:00Z\r\n", "0123456789ab").status,
        200);
    SetRules({Delete(c.condition)});
    emulator().clock().Advance(hours(1));
    EXPECT_EQ(Listed(), c.left);
  }
}

TEST_F(LifecycleTest, ADateSelectsWhatWasMadeBefore) {
  ASSERT_EQ(client_.Insert("bucket", "old"), 200);
  emulator().clock().Advance(5 * kDay);
  ASSERT_EQ(client_.Insert("bucket", "new"), 200);
  SetRules({Delete({{"createdBefore", InDays(2)}})});
  emulator().clock().Advance(hours(1));
  EXPECT_EQ(Listed(), Names{"new"});
}

TEST_F(LifecycleTest, NoncurrentGenerationsAreDeletedByTheirNumberAndTime) {
  SetVersioning();
  for (int i = 0; i < 4; ++i) ASSERT_EQ(client_.Insert("bucket", "a"), 200);
  SetRules({Delete({{"numNewerVersions", 2}})});
  emulator().clock().Advance(hours(1));
  EXPECT_EQ(Listed("?versions=true"), (Names{"a", "a"}));
  SetRules({Delete({{"daysSinceNoncurrentTime", 2}})});
  emulator().clock().Advance(kDay);
  EXPECT_EQ(Listed("?versions=true"), (Names{"a", "a"}));
  emulator().clock().Advance(kDay);
  EXPECT_EQ(Listed("?versions=true"), Names{"a"});
  SetRules({Delete({{"age", 0}})});
  emulator().clock().Advance(hours(1));
  EXPECT_EQ(Listed(), Names());
  SetRules({Delete({{"noncurrentTimeBefore", InDays(9)}, {"isLive", false}})});
  emulator().clock().Advance(hours(1));
  EXPECT_EQ(Listed("?versions=true"), Names());
}

TEST_F(LifecycleTest, AClassOnlyBecomesColder) {
  ASSERT_EQ(client_.Insert("bucket", "a"), 200);
  const json before = client_.Answer("GET", kRuledObjects + "/a");
  SetRules({SetClass("NEARLINE", {{"age", 1}}), SetClass("ARCHIVE", {{"age", 2}}), SetClass("COLDLINE", {{"age", 2}})});
  emulator().clock().Advance(kDay);
  EXPECT_EQ(ClassOf("a"), "NEARLINE");
  emulator().clock().Advance(kDay);
  const json after = client_.Answer("GET", kRuledObjects + "/a");
  EXPECT_EQ(after.at("storageClass"), "ARCHIVE");
  EXPECT_EQ(after.at("generation"), before.at("generation"));
  EXPECT_EQ(after.at("timeCreated"), before.at("timeCreated"));
  EXPECT_GT(after.at("timeStorageClassUpdated"), before.at("timeStorageClassUpdated"));
  SetRules({SetClass("STANDARD", {{"age", 0}}), SetClass("NEARLINE", {{"age", 0}})});
  emulator().clock().Advance(kDay);
  EXPECT_EQ(ClassOf("a"), "ARCHIVE");
}

TEST_F(LifecycleTest, DeletionComesBeforeAnotherClass) {
  ASSERT_EQ(client_.Insert("bucket", "a"), 200);
  SetRules({SetClass("NEARLINE", {{"age", 1}}), Delete({{"age", 1}})});
  emulator().clock().Advance(kDay);
  EXPECT_EQ(Listed(), Names());
}

TEST_F(LifecycleTest, KeptObjectsStay) {
  ASSERT_EQ(client_.Insert("bucket", "a"), 200);
  client_.Answer("PATCH", kRuledObjects + "/a", {{"temporaryHold", true}});
  SetRules({Delete({{"age", 1}})});
  emulator().clock().Advance(kDay);
  EXPECT_EQ(Listed(), Names{"a"});
  client_.Answer("PATCH", kRuledObjects + "/a", {{"temporaryHold", false}});
  emulator().clock().Advance(hours(1));
  EXPECT_EQ(Listed(), Names());
}

TEST_F(LifecycleTest, DeletedObjectsCanBeRestored) {
  client_.Answer("PATCH", kRuledBucket, {{"softDeletePolicy", {{"retentionDurationSeconds", "604800"}}}});
  ASSERT_EQ(client_.Insert("bucket", "a"), 200);
  SetRules({Delete({{"age", 1}})});
  emulator().clock().Advance(kDay);
  EXPECT_EQ(Listed(), Names());
  EXPECT_EQ(Listed("?softDeleted=true"), Names{"a"});
}

TEST_F(LifecycleTest, UploadsInPartsAreAborted) {
  RawConnection xml(endpoint());
  for (const char* name : {"/bucket/x1?uploads", "/bucket/y1?uploads"}) ASSERT_EQ(xml.Call("POST", name).status, 200);
  SetRules({Rule({{"type", "AbortIncompleteMultipartUpload"}}, {{"age", 7}, {"matchesPrefix", {"x"}}})});
  const auto has = [&](const std::string& name) {
    return xml.Call("GET", "/bucket?uploads").body.find("<Key>" + name + "</Key>") != std::string::npos;
  };
  emulator().clock().Advance(6 * kDay);
  EXPECT_TRUE(has("x1"));
  emulator().clock().Advance(kDay);
  EXPECT_FALSE(has("x1"));
  EXPECT_TRUE(has("y1"));
}

TEST_F(LifecycleTest, RulesThatThereAreNotAreRefused) {
  const json delete_action = {{"type", "Delete"}};
  const json abort = {{"type", "AbortIncompleteMultipartUpload"}};
  const std::vector<json> rules = {Rule({{"type", "Archive"}}, {{"age", 1}}),
                                   Rule(json::object(), {{"age", 1}}),
                                   Rule(delete_action, json::object()),
                                   Rule(delete_action, {{"phase", "full moon"}}),
                                   Delete({{"age", -1}}),
                                   Delete({{"createdBefore", "yesterday"}}),
                                   Delete({{"createdBefore", "2026-01-01T00:00:00Z"}}),
                                   Delete({{"matchesStorageClass", {"WARM"}}}),
                                   SetClass("WARM", {{"age", 1}}),
                                   Rule({{"type", "SetStorageClass"}}, {{"age", 1}}),
                                   Rule(abort, {{"isLive", true}}),
                                   Delete({{"sizeAboveBytes", "many"}})};
  for (const json& rule : rules) {
    EXPECT_EQ(client_.Refusal("PATCH", kRuledBucket, {{"lifecycle", {{"rule", {rule}}}}}), "400 invalid") << rule;
  }
  const json too_many(101, Delete({{"age", 1}}));
  EXPECT_EQ(client_.Refusal("PATCH", kRuledBucket, {{"lifecycle", {{"rule", too_many}}}}), "400 invalid");
  EXPECT_FALSE(client_.Answer("GET", kRuledBucket).contains("lifecycle"));
}

TEST(Lifecycle, LeavesVirtualBucketsAlone) {
  Emulator emulator({.virtual_buckets = {{.name = "bucket", .count = 1'000'000'000}}});
  JsonClient client(emulator.endpoint());
  client.Answer("PATCH", kRuledBucket, {{"lifecycle", {{"rule", {Delete({{"age", 0}})}}}}});
  emulator.clock().Advance(kDay);
  EXPECT_EQ(client.Answer("GET", kRuledObjects + "?maxResults=1").at("items").size(), 1U);
}

}  // namespace
}  // namespace gcsflux::emulator
