// Files that become objects, in process and over HTTP.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"
#include "support/test_directory.h"

namespace gcsflux::emulator {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SeedTest : public ::testing::Test {
 protected:
  SeedTest() {
    Write("data/a.txt", "alpha");
    Write("data/dir/b b.txt", "beta");
    Write("data/dir/empty", "");
    Write("outside/secret", "secret");
    fs::create_symlink(root_ / "outside", root_ / "data/link");
    fs::create_symlink(root_ / "outside/secret", root_ / "data/file-link");
  }

  void Write(const std::string& name, const std::string& content) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << content;
  }

  static std::vector<std::string> Names(RawConnection& client, const std::string& bucket) {
    std::vector<std::string> names;
    const json page = json::parse(client.Call("GET", "/storage/v1/b/" + bucket + "/o").body);
    for (const json& item : page.value("items", json::array())) names.push_back(item.at("name"));
    return names;
  }

  const gcsflux::testing::TestDirectory directory_;
  const fs::path root_ = directory_.path();
};

TEST_F(SeedTest, StoresFilesAndFollowsNoLinks) {
  Emulator emulator;
  EXPECT_EQ(emulator.Seed({.bucket = "bucket", .directory = root_ / "data", .prefix = "in/"}), 3U);
  RawConnection client(emulator.endpoint());
  EXPECT_THAT(Names(client, "bucket"), ElementsAre("in/a.txt", "in/dir/b b.txt", "in/dir/empty"));
  EXPECT_EQ(client.Call("GET", "/storage/v1/b/bucket/o/in%2Fdir%2Fb%20b.txt?alt=media").body, "beta");
  const json object = json::parse(client.Call("GET", "/storage/v1/b/bucket/o/in%2Fa.txt").body);
  EXPECT_EQ(object.at("size"), "5");
  EXPECT_EQ(object.at("contentType"), "application/octet-stream");
}

TEST_F(SeedTest, OverwritesExistingObjects) {
  Emulator emulator;
  emulator.Seed({.bucket = "bucket", .directory = root_ / "data"});
  Write("data/a.txt", "changed");
  emulator.Seed({.bucket = "bucket", .directory = root_ / "data"});
  RawConnection client(emulator.endpoint());
  EXPECT_EQ(client.Call("GET", "/storage/v1/b/bucket/o/a.txt?alt=media").body, "changed");
}

TEST_F(SeedTest, ThrowsOnFailure) {
  Emulator emulator;
  EXPECT_THROW(emulator.Seed({.bucket = "bucket", .directory = root_ / "none"}), std::runtime_error);
  EXPECT_THROW(emulator.Seed({.bucket = "bucket", .directory = root_ / "data/a.txt"}), std::runtime_error);
  EXPECT_THROW(emulator.Seed({.bucket = "NO", .directory = root_ / "data"}), std::runtime_error);
  EXPECT_THROW(emulator.Seed({.bucket = "bucket", .directory = root_ / "data", .prefix = "\n"}), std::runtime_error);
}

TEST_F(SeedTest, NamesTheUnreadableFile) {
  Emulator emulator;
  const auto refusal = [&](const std::string& name, const std::string& prefix = "") -> std::string {
    Write(name, "x");
    try {
      emulator.Seed({.bucket = "bucket", .directory = (root_ / name).parent_path(), .prefix = prefix});
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal("lines/a\nb"), "Cannot store '" + (root_ / "lines").string() +
                                       "/a\\x0ab': Disallowed characters (CR or LF) present in object name.");
  EXPECT_THAT(refusal("latin/caf\xe9"), HasSubstr("/latin/caf\\xe9': Disallowed unicode characters"));
  EXPECT_THAT(refusal("long/file", std::string(1021, 'p')), HasSubstr("/long/file': The maximum object length"));
}

class SeedOverHttpTest : public SeedTest {
 protected:
  RawResponse Seed(const json& request) { return client_.Call("POST", "/_emulator/seed", "", request.dump()); }

  Emulator emulator_{{.seed_root = root_ / "data"}};
  RawConnection client_{emulator_.endpoint()};
};

TEST_F(SeedOverHttpTest, StoresFiles) {
  const RawResponse response = Seed({{"bucket", "bucket"}, {"directory", (root_ / "data").string()}});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(json::parse(response.body), json({{"objects", 3}, {"bytes", 9}}));
  EXPECT_EQ(Seed({{"bucket", "other"}, {"directory", "dir"}, {"prefix", "p/"}}).status, 200);
  EXPECT_THAT(Names(client_, "other"), ElementsAre("p/b b.txt", "p/empty"));
}

TEST_F(SeedOverHttpTest, StaysBelowItsDirectory) {
  for (const std::string& directory :
       {(root_ / "outside").string(), root_.string(), std::string("/"), std::string("../outside"), std::string("link"),
        std::string(".."), (root_ / "data/../outside").string(), std::string("none")}) {
    EXPECT_EQ(Seed({{"bucket", "bucket"}, {"directory", directory}}).status, 403) << directory;
  }
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bucket").status, 404);
}

TEST_F(SeedOverHttpTest, RefusesAMalformedSeed) {
  for (const char* body : {"", "[]", "{", R"({"bucket":"bucket"})", R"({"directory":"dir"})",
                           R"({"bucket":1,"directory":"dir"})", R"({"bucket":"bucket","directory":"dir","perfix":"x"})",
                           R"({"bucket":"NO","directory":"dir"})", R"({"bucket":"bucket","directory":"a.txt"})"}) {
    EXPECT_EQ(client_.Call("POST", "/_emulator/seed", "", body).status, 400) << body;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
