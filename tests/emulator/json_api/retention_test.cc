// Retention policies of buckets, their locks, and the retention of single objects.

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "emulator/support/json_client.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

constexpr auto kKeepingBucket = "/storage/v1/b/bucket";
constexpr auto kKeptObject = "/storage/v1/b/bucket/o/object";

json Policy(int seconds) { return {{"retentionPolicy", {{"retentionPeriod", std::to_string(seconds)}}}}; }
json Retention(const std::string& mode, const std::string& until) {
  return {{"retention", {{"mode", mode}, {"retainUntilTime", until}}}};
}

class RetentionTest : public EmulatorTest {
 protected:
  void SetUp() override {
    client_.Answer("POST", "/storage/v1/b?enableObjectRetention=true", {{"name", "bucket"}});
    ASSERT_EQ(client_.Insert("bucket", "object"), 200);
    ASSERT_EQ(client_.Insert("bucket", "other"), 200);
  }
  // Every way to lose the object's bytes.
  void ExpectKept() {
    const std::string kept = "403 retentionPolicyNotMet";
    EXPECT_EQ(client_.Refusal("DELETE", kKeptObject), kept);
    EXPECT_EQ(client_.Insert("bucket", "object"), 403);
    EXPECT_EQ(
        client_.Refusal("POST", std::string(kKeptObject) + "/compose", {{"sourceObjects", {{{"name", "other"}}}}}),
        kept);
    EXPECT_EQ(client_.Refusal("POST", "/storage/v1/b/bucket/o/other/copyTo/b/bucket/o/object", json::object()), kept);
    EXPECT_EQ(client_.Refusal("POST", "/storage/v1/b/bucket/o/other/rewriteTo/b/bucket/o/object", json::object()),
              kept);
    EXPECT_EQ(client_.Refusal("POST", std::string(kKeptObject) + "/moveTo/o/new"), kept);
    RawConnection xml(endpoint());
    EXPECT_EQ(xml.Call("DELETE", "/bucket/object").status, 403);
    EXPECT_EQ(xml.Call("PUT", "/bucket/object", "", "1").status, 403);
    EXPECT_EQ(client_.Status("PATCH", kKeptObject, {{"contentLanguage", "de"}}), 200);
  }

  JsonClient client_{endpoint()};
};

TEST_F(RetentionTest, APolicyKeepsObjectsForItsPeriod) {
  client_.Answer("PATCH", kKeepingBucket, Policy(60));
  ExpectKept();
  emulator().clock().Advance(std::chrono::seconds(61));
  EXPECT_EQ(client_.Status("DELETE", kKeptObject), 204);
}

TEST_F(RetentionTest, ALockedPolicyCanOnlyBeExtended) {
  EXPECT_EQ(client_.Status("POST", std::string(kKeepingBucket) + "/lockRetentionPolicy?ifMetagenerationMatch=1"), 400);
  client_.Answer("PATCH", kKeepingBucket, Policy(60));
  EXPECT_EQ(client_.Status("POST", std::string(kKeepingBucket) + "/lockRetentionPolicy"), 400);
  EXPECT_EQ(client_.Status("POST", std::string(kKeepingBucket) + "/lockRetentionPolicy?ifMetagenerationMatch=1"), 412);
  const json locked =
      client_.Answer("POST", std::string(kKeepingBucket) + "/lockRetentionPolicy?ifMetagenerationMatch=2");
  EXPECT_EQ(locked.at("retentionPolicy").at("isLocked"), true);
  EXPECT_EQ(client_.Refusal("PATCH", kKeepingBucket, Policy(59)), "403 forbidden");
  EXPECT_EQ(client_.Refusal("PATCH", kKeepingBucket, {{"retentionPolicy", nullptr}}), "403 forbidden");
  EXPECT_EQ(client_.Refusal("PUT", kKeepingBucket, json::object()), "403 forbidden");
  const json extended = client_.Answer("PATCH", kKeepingBucket, Policy(61)).at("retentionPolicy");
  EXPECT_EQ(extended.at("retentionPeriod"), "61");
  EXPECT_EQ(extended.at("isLocked"), true);
}

TEST_F(RetentionTest, AnObjectIsKeptUntilItsOwnTime) {
  const json shown = client_.Answer("PATCH", kKeptObject, Retention("Unlocked", "2100-01-01T00:00:00Z"));
  EXPECT_EQ(shown.at("retention"), json({{"mode", "Unlocked"}, {"retainUntilTime", "2100-01-01T00:00:00.000Z"}}));
  ExpectKept();
}

TEST_F(RetentionTest, UnlockedRetentionIsReducedOnlyIfTheRequestSaysSo) {
  client_.Answer("PATCH", kKeptObject, Retention("Unlocked", "2100-01-01T00:00:00Z"));
  const json shorter = Retention("Unlocked", "2099-01-01T00:00:00Z");
  EXPECT_EQ(client_.Refusal("PATCH", kKeptObject, shorter), "403 forbidden");
  EXPECT_EQ(client_.Refusal("PATCH", kKeptObject, {{"retention", nullptr}}), "403 forbidden");
  const std::string overriding = std::string(kKeptObject) + "?overrideUnlockedRetention=true";
  EXPECT_EQ(client_.Status("PATCH", overriding, shorter), 200);
  EXPECT_FALSE(client_.Answer("PATCH", overriding, {{"retention", nullptr}}).contains("retention"));
  EXPECT_EQ(client_.Status("DELETE", kKeptObject), 204);
}

TEST_F(RetentionTest, LockedRetentionIsOnlyExtended) {
  client_.Answer("PATCH", kKeptObject, Retention("Locked", "2100-01-01T00:00:00Z"));
  const std::string overriding = std::string(kKeptObject) + "?overrideUnlockedRetention=true";
  EXPECT_EQ(client_.Refusal("PATCH", overriding, Retention("Locked", "2099-01-01T00:00:00Z")), "403 forbidden");
  EXPECT_EQ(client_.Refusal("PATCH", overriding, Retention("Unlocked", "2100-01-01T00:00:00Z")), "403 forbidden");
  EXPECT_EQ(client_.Refusal("PATCH", overriding, {{"retention", nullptr}}), "403 forbidden");
  EXPECT_EQ(client_.Status("PATCH", kKeptObject, Retention("Locked", "2101-01-01T00:00:00Z")), 200);
}

TEST_F(RetentionTest, IsRefusedIfItCannotBe) {
  EXPECT_EQ(client_.Status("PATCH", kKeptObject, Retention("Locked", "2001-01-01T00:00:00Z")), 400);
  EXPECT_EQ(client_.Status("PATCH", kKeptObject, Retention("Open", "2100-01-01T00:00:00Z")), 400);
  EXPECT_EQ(client_.Status("PATCH", kKeptObject, Retention("Locked", "tomorrow")), 400);
  client_.Answer("POST", "/storage/v1/b", {{"name", "plain"}});
  ASSERT_EQ(client_.Insert("plain", "object"), 200);
  EXPECT_EQ(client_.Status("PATCH", "/storage/v1/b/plain/o/object", Retention("Locked", "2100-01-01T00:00:00Z")), 400);
}

}  // namespace
}  // namespace gcsflux::emulator
