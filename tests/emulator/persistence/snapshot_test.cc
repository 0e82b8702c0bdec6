// Snapshots, in memory and on disk.

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "emulator/persistence/stored_state.h"
#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"
#include "support/test_directory.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

class SnapshotTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    Start();
    ASSERT_EQ(Call("POST", "/storage/v1/b", R"({"name":"bkt","versioning":{"enabled":true}})"), 200);
    ASSERT_EQ(Insert("a", "one"), 200);
    ASSERT_EQ(Insert("a", "two"), 200);
    ASSERT_EQ(Call("POST", "/bkt/part?uploads"), 200);
  }

  void Start() {
    client_.reset();
    emulator_.reset();
    EmulatorOptions options{.admin_token = "secret"};
    if (GetParam()) options.data_dir = directory_.path() / "data";
    emulator_ = std::make_unique<Emulator>(std::move(options));
    client_.emplace(emulator_->endpoint());
  }
  int Call(const char* method, const std::string& target, const std::string& body = "") {
    return client_->Call(method, target, "Authorization: Bearer secret\r\n", body).status;
  }
  int Insert(const std::string& name, const std::string& bytes) {
    return Call("POST", "/upload/storage/v1/b/bkt/o?uploadType=media&name=" + name, bytes);
  }

  const gcsflux::testing::TestDirectory directory_;
  std::unique_ptr<Emulator> emulator_;
  std::optional<RawConnection> client_;
};

TEST_P(SnapshotTest, RestoresWhatWasChangedAndDeleted) {
  const json before = StoredState(*client_);
  ASSERT_EQ(Call("POST", "/_emulator/snapshot?name=s"), 204);
  ASSERT_EQ(Insert("a", "three"), 200);
  ASSERT_EQ(Insert("b", "new"), 200);
  ASSERT_EQ(Call("POST", "/storage/v1/b", R"({"name":"other"})"), 200);
  ASSERT_NE(StoredState(*client_), before);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(Call("POST", "/_emulator/restore?name=s"), 204);
    EXPECT_EQ(StoredState(*client_), before);
    ASSERT_EQ(Insert("a", "four"), 200);
  }
  ASSERT_EQ(Call("POST", "/_emulator/restore?name=s"), 204);
  if (!GetParam()) return;
  Start();
  EXPECT_EQ(StoredState(*client_), before);
}

TEST_P(SnapshotTest, RestoresSessions) {
  const RawResponse started = client_->Call("POST", "/upload/storage/v1/b/bkt/o?uploadType=resumable&name=o");
  const std::string location = started.Header("location");
  const std::string session = location.substr(location.find("/upload/"));
  const auto put = [&](const std::string& range, const std::string& bytes) {
    return client_->Call("PUT", session, "Content-Range: bytes " + range + "\r\n", bytes);
  };
  ASSERT_EQ(put("0-262143/*", std::string(262'144, 'a')).status, 308);
  ASSERT_EQ(Call("POST", "/_emulator/snapshot"), 204);
  ASSERT_EQ(put("262144-262146/262147", "end").status, 200);
  ASSERT_EQ(Call("POST", "/_emulator/restore"), 204);
  EXPECT_EQ(client_->Call("GET", "/storage/v1/b/bkt/o/o").status, 404);
  if (GetParam()) Start();
  EXPECT_EQ(put("*/*", "").Header("range"), "bytes=0-262143");
  EXPECT_EQ(put("262144-262146/262147", "END").status, 200);
  EXPECT_EQ(client_->Call("GET", "/storage/v1/b/bkt/o/o?alt=media").body, std::string(262'144, 'a') + "END");
}

TEST_P(SnapshotTest, NeedsTheAdminToken) {
  EXPECT_EQ(client_->Call("POST", "/_emulator/snapshot").status, 401);
  EXPECT_EQ(client_->Call("POST", "/_emulator/restore").status, 401);
}

TEST_P(SnapshotTest, UnknownNameIsNotFound) {
  EXPECT_EQ(Call("POST", "/_emulator/restore?name=none"), 404);
  ASSERT_EQ(Call("POST", "/_emulator/snapshot?name=s"), 204);
  ASSERT_EQ(Call("POST", "/_emulator/reset"), 204);
  EXPECT_EQ(Call("POST", "/_emulator/restore?name=s"), 404);
}

INSTANTIATE_TEST_SUITE_P(InMemoryAndOnDisk, SnapshotTest, ::testing::Bool());

}  // namespace
}  // namespace gcsflux::emulator
