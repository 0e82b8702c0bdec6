// A bucket's notification configurations.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "emulator/support/json_client.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

constexpr auto kConfigs = "/storage/v1/b/bucket/notificationConfigs";
const json kConfig = {{"topic", "projects/p/topics/t"},
                      {"payload_format", "JSON_API_V1"},
                      {"event_types", {"OBJECT_FINALIZE"}},
                      {"custom_attributes", {{"a", "b"}}},
                      {"object_name_prefix", "logs/"}};

class NotificationConfigs : public EmulatorTest {
 protected:
  void SetUp() override { client_.Answer("POST", "/storage/v1/b", {{"name", "bucket"}}); }

  JsonClient client_{endpoint()};
};

TEST_F(NotificationConfigs, AreNoneAtFirst) {
  EXPECT_EQ(client_.Answer("GET", kConfigs), json({{"kind", "storage#notifications"}}));
}

TEST_F(NotificationConfigs, AreShownAsTheyWereMade) {
  const json made = client_.Answer("POST", kConfigs, kConfig);
  EXPECT_EQ(made.at("kind"), "storage#notification");
  EXPECT_EQ(made.at("id"), "1");
  EXPECT_EQ(made.at("topic"), "//pubsub.googleapis.com/projects/p/topics/t");
  for (const char* name : {"payload_format", "event_types", "custom_attributes", "object_name_prefix"}) {
    EXPECT_EQ(made.at(name), kConfig.at(name)) << name;
  }
  EXPECT_EQ(client_.Answer("GET", std::string(kConfigs) + "/1"), made);
  EXPECT_EQ(client_.Answer("GET", kConfigs).at("items"), json::array({made}));
}

TEST_F(NotificationConfigs, KeepTheBucketsMetageneration) {
  client_.Answer("POST", kConfigs, kConfig);
  EXPECT_EQ(client_.Answer("GET", "/storage/v1/b/bucket").at("metageneration"), "1");
}

TEST_F(NotificationConfigs, AreDeletedOnce) {
  client_.Answer("POST", kConfigs, kConfig);
  const std::string first = std::string(kConfigs) + "/1";
  EXPECT_EQ(client_.Status("DELETE", first), 204);
  EXPECT_EQ(client_.Refusal("DELETE", first), "404 notFound");
  EXPECT_EQ(client_.Refusal("GET", first), "404 notFound");
  EXPECT_EQ(client_.Answer("POST", kConfigs, kConfig).at("id"), "2");
}

TEST_F(NotificationConfigs, AreRefusedIfAFieldIsWrong) {
  const json wrong[] = {{{"topic", nullptr}},
                        {{"topic", "t"}},
                        {{"topic", "projects//topics/t"}},
                        {{"payload_format", nullptr}},
                        {{"payload_format", "XML"}},
                        {{"event_types", {"OBJECT_READ"}}},
                        {{"custom_attributes", {{"a", 1}}}},
                        {{"object_name_prefix", 1}}};
  for (const json& patch : wrong) {
    json config = kConfig;
    config.merge_patch(patch);
    EXPECT_EQ(client_.Status("POST", kConfigs, config), 400) << patch;
  }
  EXPECT_EQ(client_.Refusal("GET", "/storage/v1/b/none/notificationConfigs"), "404 notFound");
  EXPECT_FALSE(client_.Answer("GET", kConfigs).contains("items"));
}

TEST_F(NotificationConfigs, AreAtMostAHundred) {
  for (int i = 0; i < 100; ++i) client_.Answer("POST", kConfigs, kConfig);
  EXPECT_EQ(client_.Refusal("POST", kConfigs, kConfig), "400 invalid");
}

}  // namespace
}  // namespace gcsflux::emulator
