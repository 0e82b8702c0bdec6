// What another emulator finds in the directory of one that has ended.

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/persistence/stored_state.h"
#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"
#include "support/test_directory.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

constexpr const char* kObjects = "/storage/v1/b/bkt/o/";
constexpr std::size_t kUnit = std::size_t{256} << 10;

class RestartTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Restart();
    ASSERT_EQ(Call("POST", "/storage/v1/b", "", R"({"name":"bkt","labels":{"a":"b"}})").status, 200);
  }

  void Restart() {
    client_.reset();
    emulator_.reset();
    emulator_ = std::make_unique<Emulator>(EmulatorOptions{
        .data_dir = directory_.path() / "data", .log = [this](const std::string& line) { log_ += line + "\n"; }});
    client_.emplace(emulator_->endpoint());
  }
  RawResponse Call(std::string_view method, const std::string& target, std::string_view headers = "",
                   std::string_view body = "") {
    return client_->Call(method, target, headers, body);
  }
  RawResponse Insert(const std::string& name, std::string_view bytes, const std::string& more = "") {
    return Call("POST", "/upload/storage/v1/b/bkt/o?uploadType=media&name=" + name + more, "", bytes);
  }
  std::string Read(const std::string& name) { return Call("GET", kObjects + name + "?alt=media").body; }
  // Nothing changes, however often it starts.
  void ExpectSameAfterRestarts() {
    const json before = StoredState(*client_);
    for (int i = 0; i < 3; ++i) {
      Restart();
      EXPECT_EQ(StoredState(*client_), before) << i;
    }
    EXPECT_EQ(log_, "");
  }

  const gcsflux::testing::TestDirectory directory_;
  std::string log_;
  std::unique_ptr<Emulator> emulator_;
  std::optional<RawConnection> client_;
};

TEST_F(RestartTest, KeepsObjectsOfAllSizes) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kUnit, std::size_t{5} << 20}) {
    ASSERT_EQ(Insert("o" + std::to_string(size), std::string(size, 'x')).status, 200);
  }
  ExpectSameAfterRestarts();
  EXPECT_EQ(Read("o" + std::to_string(kUnit)), std::string(kUnit, 'x'));
}

TEST_F(RestartTest, KeepsAccessListsPoliciesNotificationsAndKeys) {
  ASSERT_EQ(Insert("o", "1").status, 200);
  const std::string grant = R"({"entity":"allUsers","role":"READER"})";
  ASSERT_EQ(Call("POST", std::string(kObjects) + "o/acl", "", grant).status, 200);
  ASSERT_EQ(Call("POST", "/storage/v1/b/bkt/notificationConfigs", "",
                 R"({"topic":"//pubsub.googleapis.com/projects/p/topics/t","payload_format":"NONE"})")
                .status,
            200);
  const std::string keys = "/storage/v1/projects/p/hmacKeys";
  for (int i = 0; i < 2; ++i) ASSERT_EQ(Call("POST", keys + "?serviceAccountEmail=a@b").status, 200);
  const std::string first = json::parse(Call("GET", keys).body)["items"][0]["accessId"];
  ASSERT_EQ(Call("PUT", keys + "/" + first, "", R"({"state":"INACTIVE"})").status, 200);
  const auto seen = [&] {
    return std::vector{Call("GET", std::string(kObjects) + "o/acl").body,
                       Call("GET", "/storage/v1/b/bkt/notificationConfigs").body, Call("GET", keys).body,
                       Call("GET", "/storage/v1/b/bkt/iam").body};
  };
  const auto before = seen();
  EXPECT_NE(before[0].find("allUsers"), std::string::npos);
  EXPECT_NE(before[1].find("topics/t"), std::string::npos);
  EXPECT_NE(before[2].find("INACTIVE"), std::string::npos);
  Restart();
  const auto after = seen();
  // Links name the port, which is another one.
  const auto without_links = [](json value) {
    const auto strip = [](json& item) { item.erase("selfLink"); };
    if (value.contains("items"))
      for (json& item : value["items"]) strip(item);
    strip(value);
    return value;
  };
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(without_links(json::parse(after[i])), without_links(json::parse(before[i])));
  }
  ASSERT_EQ(Call("POST", "/_emulator/reset").status, 204);
  Restart();
  EXPECT_EQ(json::parse(Call("GET", keys).body).value("items", json::array()).size(), 0U);
}

TEST_F(RestartTest, KeepsWhatWasChangedAndDeleted) {
  ASSERT_EQ(Insert("changed", "1").status, 200);
  ASSERT_EQ(Insert("deleted", "2").status, 200);
  ASSERT_EQ(Insert("moved", "3").status, 200);
  ASSERT_EQ(
      Call("PATCH", std::string(kObjects) + "changed", "", R"({"metadata":{"k":"v"},"temporaryHold":true})").status,
      200);
  ASSERT_EQ(Call("DELETE", std::string(kObjects) + "deleted").status, 204);
  ASSERT_EQ(Call("POST", std::string(kObjects) + "moved/moveTo/o/there").status, 200);
  ASSERT_EQ(Call("PATCH", "/storage/v1/b/bkt", "", R"({"cors":[{"maxAgeSeconds":5}]})").status, 200);
  ASSERT_EQ(Call("POST", "/storage/v1/b", "", R"({"name":"gone"})").status, 200);
  ASSERT_EQ(Call("DELETE", "/storage/v1/b/gone").status, 204);
  ExpectSameAfterRestarts();
  EXPECT_EQ(Call("GET", "/storage/v1/b/gone").status, 404);
  EXPECT_EQ(Call("GET", std::string(kObjects) + "deleted").status, 404);
  EXPECT_EQ(Read("there"), "3");
}

TEST_F(RestartTest, KeepsGenerations) {
  ASSERT_EQ(Call("PATCH", "/storage/v1/b/bkt", "", R"({"versioning":{"enabled":true}})").status, 200);
  for (const char* bytes : {"1", "2", "3"}) ASSERT_EQ(Insert("o", bytes).status, 200);
  ASSERT_EQ(Insert("deleted", "4").status, 200);
  ASSERT_EQ(Call("DELETE", std::string(kObjects) + "deleted").status, 204);
  ExpectSameAfterRestarts();
  EXPECT_EQ(StoredState(*client_)["bkt"]["objects"].size(), 4U);
}

TEST_F(RestartTest, KeepsWhatCanBeRestored) {
  const std::string policy = R"("softDeletePolicy":{"retentionDurationSeconds":"604800"})";
  ASSERT_EQ(Call("PATCH", "/storage/v1/b/bkt", "", "{" + policy + "}").status, 200);
  for (const char* bytes : {"1", "2"}) ASSERT_EQ(Insert("o", bytes).status, 200);
  ASSERT_EQ(Call("POST", "/storage/v1/b", "", R"({"name":"gone",)" + policy + "}").status, 200);
  ASSERT_EQ(Call("DELETE", "/storage/v1/b/gone").status, 204);
  const std::string deleted = "/storage/v1/b/bkt/o?softDeleted=true&fields=items(name,generation,hardDeleteTime)";
  const std::string buckets = "/storage/v1/b?softDeleted=true&fields=items(name,generation,hardDeleteTime)";
  const auto seen = [&] {
    return json::array({json::parse(Call("GET", deleted).body), json::parse(Call("GET", buckets).body)});
  };
  const json before = seen();
  ExpectSameAfterRestarts();
  ASSERT_EQ(seen(), before);
  const auto restore = [&](const std::string& path, const json& of) {
    return Call("POST", path + "/restore?generation=" + of.at("items").at(0).at("generation").get<std::string>())
        .status;
  };
  EXPECT_EQ(restore(std::string(kObjects) + "o", before[0]), 200);
  EXPECT_EQ(restore("/storage/v1/b/gone", before[1]), 200);
  Restart();
  EXPECT_EQ(Read("o"), "1");
  EXPECT_EQ(Call("GET", "/storage/v1/b/gone").status, 200);
  EXPECT_EQ(Call("DELETE", "/storage/v1/b/gone").status, 204);
  emulator_->clock().Advance(std::chrono::hours(8 * 24));
  EXPECT_EQ(Call("GET", deleted).body, "{}");
  EXPECT_EQ(Call("GET", buckets).body, "{}");
  Restart();
  EXPECT_EQ(Call("GET", deleted).body, "{}") << "its records are gone";
  EXPECT_EQ(Call("GET", buckets).body, "{}");
  EXPECT_EQ(log_, "");
}

TEST_F(RestartTest, KeepsFolders) {
  const std::string tree = R"({"name":"tree","hierarchicalNamespace":{"enabled":true},
                               "iamConfiguration":{"uniformBucketLevelAccess":{"enabled":true}}})";
  ASSERT_EQ(Call("POST", "/storage/v1/b", "", tree).status, 200);
  const std::string folders = "/storage/v1/b/tree/folders";
  ASSERT_EQ(Call("POST", "/upload/storage/v1/b/tree/o?uploadType=media&name=a%2Fb%2Fo", "", "1").status, 200);
  for (const char* name : {R"({"name":"c/"})", R"({"name":"gone/"})"}) {
    ASSERT_EQ(Call("POST", folders, "", name).status, 200);
  }
  ASSERT_EQ(Call("DELETE", folders + "/gone").status, 204);
  ASSERT_EQ(Call("POST", folders + "/a/renameTo/folders/c%2Fd").status, 200);
  const auto seen = [&] { return Call("GET", folders + "?fields=items(name,createTime,metageneration)").body; };
  const std::string before = seen();
  Restart();
  EXPECT_EQ(seen(), before);
  EXPECT_NE(before.find("c/d/b/"), std::string::npos);
  EXPECT_EQ(Call("GET", "/storage/v1/b/tree/o/c%2Fd%2Fb%2Fo?alt=media").body, "1");
  EXPECT_EQ(log_, "");
}

TEST_F(RestartTest, KeepsWhatLifecycleRulesDid) {
  for (const char* name : {"deleted", "cold"}) ASSERT_EQ(Insert(name, "1").status, 200);
  const std::string rules = R"({"lifecycle":{"rule":[
    {"action":{"type":"Delete"},"condition":{"age":1,"matchesPrefix":["d"]}},
    {"action":{"type":"SetStorageClass","storageClass":"ARCHIVE"},"condition":{"age":1}}]}})";
  ASSERT_EQ(Call("PATCH", "/storage/v1/b/bkt", "", rules).status, 200);
  emulator_->clock().Advance(std::chrono::hours(24));
  EXPECT_EQ(Call("GET", std::string(kObjects) + "deleted").status, 404);
  ExpectSameAfterRestarts();
  EXPECT_EQ(Call("GET", std::string(kObjects) + "deleted").status, 404);
  EXPECT_EQ(json::parse(Call("GET", std::string(kObjects) + "cold").body).at("storageClass"), "ARCHIVE");
}

TEST_F(RestartTest, KeepsBytesThatObjectsShare) {
  for (const char* name : {"a", "b"}) ASSERT_EQ(Insert(name, std::string(kUnit, *name)).status, 200);
  ASSERT_EQ(Call("POST", std::string(kObjects) + "both/compose", "",
                 R"({"sourceObjects":[{"name":"a"},{"name":"b"},{"name":"a"}]})")
                .status,
            200);
  ASSERT_EQ(Call("POST", std::string(kObjects) + "both/rewriteTo/b/bkt/o/copy", "", "{}").status, 200);
  ExpectSameAfterRestarts();
  ASSERT_EQ(Call("DELETE", std::string(kObjects) + "a").status, 204);
  ASSERT_EQ(Call("DELETE", std::string(kObjects) + "both").status, 204);
  ExpectSameAfterRestarts();
  EXPECT_EQ(Read("copy"), std::string(kUnit, 'a') + std::string(kUnit, 'b') + std::string(kUnit, 'a'));
}

TEST_F(RestartTest, KeepsResumableSessions) {
  const std::string location =
      Call("POST", "/upload/storage/v1/b/bkt/o?uploadType=resumable&name=o", "", R"({"contentType":"a/b"})")
          .Header("location");
  const std::string session = location.substr(location.find("/upload/"));
  const auto put = [&](std::size_t first, std::string_view bytes, const std::string& total) {
    return Call("PUT", session,
                "Content-Range: bytes " + std::to_string(first) + "-" + std::to_string(first + bytes.size() - 1) + "/" +
                    total + "\r\n",
                bytes);
  };
  ASSERT_EQ(put(0, std::string(kUnit, 'a'), "*").status, 308);
  ASSERT_EQ(put(kUnit, std::string(kUnit, 'b'), "*").status, 308);
  Restart();
  const RawResponse status = Call("PUT", session, "Content-Range: bytes */*\r\n");
  EXPECT_EQ(status.status, 308);
  EXPECT_EQ(status.Header("range"), "bytes=0-" + std::to_string(2 * kUnit - 1));
  const RawResponse finished = put(2 * kUnit, "end", std::to_string(2 * kUnit + 3));
  ASSERT_EQ(finished.status, 200);
  EXPECT_EQ(json::parse(finished.body).at("contentType"), "a/b");
  Restart();
  EXPECT_EQ(Read("o"), std::string(kUnit, 'a') + std::string(kUnit, 'b') + "end");
  EXPECT_EQ(Call("PUT", session, "Content-Range: bytes */*\r\n").body, finished.body);
  EXPECT_EQ(log_, "");
}

TEST_F(RestartTest, ForgetsCancelledSessions) {
  const std::string location =
      Call("POST", "/upload/storage/v1/b/bkt/o?uploadType=resumable&name=o").Header("location");
  const std::string session = location.substr(location.find("/upload/"));
  ASSERT_EQ(Call("PUT", session, "Content-Range: bytes 0-262143/*\r\n", std::string(kUnit, 'a')).status, 308);
  ASSERT_EQ(Call("DELETE", session).status, 499);
  Restart();
  EXPECT_EQ(Call("PUT", session, "Content-Range: bytes */*\r\n").status, 404);
}

TEST_F(RestartTest, KeepsMultipartUploads) {
  constexpr std::size_t kPart = std::size_t{5} << 20;
  const std::string started = Call("POST", "/bkt/o?uploads").body;
  const std::size_t begin = started.find("<UploadId>") + 10;
  const std::string id = started.substr(begin, started.find("</UploadId>") - begin);
  const auto put = [&](int number, std::string_view bytes) {
    return Call("PUT", "/bkt/o?partNumber=" + std::to_string(number) + "&uploadId=" + id, "", bytes).Header("etag");
  };
  const std::string first = put(1, std::string(kPart, 'a'));
  ExpectSameAfterRestarts();
  const std::string second = put(2, "end");
  Restart();
  const std::string parts = "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>" + first +
                            "</ETag></Part><Part><PartNumber>2</PartNumber><ETag>" + second +
                            "</ETag></Part></CompleteMultipartUpload>";
  ASSERT_EQ(Call("POST", "/bkt/o?uploadId=" + id, "", parts).status, 200);
  ExpectSameAfterRestarts();
  EXPECT_EQ(Read("o"), std::string(kPart, 'a') + "end");
  EXPECT_EQ(Call("GET", "/bkt/o?uploadId=" + id).status, 404);
}

TEST_F(RestartTest, GivesLaterGenerationsThanBefore) {
  emulator_->clock().Advance(std::chrono::hours(24));
  const auto generation = [](const RawResponse& response) {
    return std::stoll(json::parse(response.body).at("generation").get<std::string>());
  };
  const std::int64_t before = generation(Insert("o", "1"));
  Restart();
  EXPECT_GT(generation(Insert("o", "2")), before);
}

TEST_F(RestartTest, FindsNothingAfterReset) {
  ASSERT_EQ(Insert("o", std::string(kUnit, 'x')).status, 200);
  emulator_->Reset();
  Restart();
  EXPECT_EQ(StoredState(*client_), json::object());
}

TEST_F(RestartTest, LeavesVirtualBucketsInMemory) {
  EmulatorOptions options{.virtual_buckets = ParseVirtualBuckets("bkt:1:1:a"), .data_dir = directory_.path() / "data"};
  client_.reset();
  emulator_.reset();
  EXPECT_THROW(Emulator(std::move(options)), std::invalid_argument);  // The directory has one of this name.
  Restart();
  EXPECT_EQ(Call("GET", "/storage/v1/b/bkt").status, 200);
}

}  // namespace
}  // namespace gcsflux::emulator
