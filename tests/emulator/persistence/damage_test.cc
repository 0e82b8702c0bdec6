// Directories that cannot be used, or of which something is missing.

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

class DamageTest : public ::testing::Test {
 protected:
  // Two objects of 100 KiB, and many small ones, so that the database has many pages.
  void SetUp() override {
    Emulator emulator(Options());
    RawConnection client(emulator.endpoint());
    ASSERT_EQ(client.Call("POST", "/storage/v1/b", "", R"({"name":"bkt"})").status, 200);
    for (const char* name : {"a", "b"}) ASSERT_EQ(Insert(client, name, std::string(102'400, *name)), 200);
    for (int i = 0; i < 300; ++i) ASSERT_EQ(Insert(client, "small" + std::to_string(i), "x"), 200);
  }

  [[nodiscard]] EmulatorOptions Options() {
    return {.data_dir = data(), .log = [this](const std::string& line) { log_ += line; }};
  }
  static int Insert(RawConnection& client, const std::string& name, const std::string& bytes) {
    return client.Call("POST", "/upload/storage/v1/b/bkt/o?uploadType=media&name=" + name, "", bytes).status;
  }
  static int Read(Emulator& emulator, const std::string& name) {
    return RawConnection(emulator.endpoint()).Call("GET", "/storage/v1/b/bkt/o/" + name + "?alt=media").status;
  }
  // Why an emulator does not start.
  std::string Refusal() {
    try {
      const Emulator emulator(Options());
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
  static void Overwrite(const fs::path& file, std::size_t at, const std::string& bytes) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(at));
    stream << bytes;
  }
  [[nodiscard]] fs::path data() const { return directory_.path() / "data"; }
  [[nodiscard]] fs::path database() const { return data() / "metadata.sqlite"; }
  [[nodiscard]] fs::path bodies() const { return data() / "bodies" / "00000001"; }

  const gcsflux::testing::TestDirectory directory_;
  std::string log_;
};

TEST_F(DamageTest, SecondEmulatorIsRefused) {
  const Emulator first(Options());
  EXPECT_NE(Refusal().find("another process uses it"), std::string::npos);
}

TEST_F(DamageTest, AnotherVersionIsRefused) {
  Overwrite(database(), 60, std::string("\0\0\0\7", 4));  // SQLite's user_version
  EXPECT_NE(Refusal().find("its format is 7, and this version reads 2"), std::string::npos) << Refusal();
}

TEST_F(DamageTest, TheFormerVersionIsUpgraded) {
  Overwrite(database(), 60, std::string("\0\0\0\1", 4));
  EXPECT_EQ(Refusal(), "");
  std::fstream stream(database(), std::ios::in | std::ios::binary);
  stream.seekg(63);
  EXPECT_EQ(stream.get(), 2);
}

TEST_F(DamageTest, AnotherDatabaseIsRefused) {
  Overwrite(database(), 68, "????");  // SQLite's application_id
  EXPECT_NE(Refusal().find("is not a database of gcsflux-emulator"), std::string::npos) << Refusal();
}

TEST_F(DamageTest, DirectoryOfOtherFilesIsRefused) {
  const gcsflux::testing::TestDirectory other;
  (void)other.Write("letter.txt", "text");
  EXPECT_THROW(Emulator({.data_dir = other.path()}), std::runtime_error);
  EXPECT_TRUE(fs::exists(other.path() / "letter.txt"));
  EXPECT_FALSE(fs::exists(other.path() / "lock"));
  fs::remove(database());
  EXPECT_NE(Refusal().find("no metadata.sqlite"), std::string::npos) << Refusal();
  EXPECT_TRUE(fs::exists(bodies()));
}

TEST_F(DamageTest, CutDatabaseIsRefusedAndLeftAlone) {
  fs::resize_file(database(), fs::file_size(database()) / 2);
  const auto size = fs::file_size(bodies());
  EXPECT_NE(Refusal().find("metadata.sqlite"), std::string::npos) << Refusal();
  EXPECT_EQ(fs::file_size(bodies()), size);
}

TEST_F(DamageTest, ChangedRecordIsRefused) {
  std::ifstream stream(database(), std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  const std::size_t at = text.find("application/octet-stream");
  ASSERT_NE(at, std::string::npos);
  Overwrite(database(), at, "Application");
  EXPECT_NE(Refusal().find("a record is damaged"), std::string::npos) << Refusal();
}

TEST_F(DamageTest, CutBodyIsAnErrorOfItsObjectAlone) {
  fs::resize_file(bodies(), 150'000);
  Emulator emulator(Options());
  EXPECT_NE(log_.find("bodies in the data directory were cut or are missing"), std::string::npos) << log_;
  EXPECT_EQ(Read(emulator, "a"), 200);
  EXPECT_EQ(Read(emulator, "b"), 500);
  RawConnection client(emulator.endpoint());
  EXPECT_EQ(Insert(client, "b", "new"), 200);
  EXPECT_EQ(Read(emulator, "b"), 200);
}

TEST_F(DamageTest, MissingBodiesAreErrorsOfTheirObjects) {
  fs::remove(bodies());
  Emulator emulator(Options());
  EXPECT_EQ(Read(emulator, "a"), 500);
  EXPECT_EQ(Read(emulator, "b"), 500);
}

TEST_F(DamageTest, ChangedBodyIsAnError) {
  Overwrite(bodies(), 1000, "changed");
  Emulator emulator(Options());
  EXPECT_EQ(Read(emulator, "a"), 500);
  EXPECT_EQ(Read(emulator, "b"), 200);
}

TEST_F(DamageTest, BodyThatIsCutWhileServedDoesNotEndTheServer) {
  Emulator emulator(Options());
  ASSERT_EQ(Read(emulator, "b"), 200);
  fs::resize_file(bodies(), 1000);
  EXPECT_THROW(Read(emulator, "b"), std::system_error);  // The connection is lost.
  EXPECT_EQ(RawConnection(emulator.endpoint()).Call("GET", "/storage/v1/b/bkt").status, 200);
}

TEST_F(DamageTest, BytesThatNoRecordNamesAreDropped) {
  std::ofstream(bodies(), std::ios::binary | std::ios::app) << std::string(1 << 20, 'x');
  std::ofstream(data() / "lock") << "in use\n";  // as if it had crashed
  const auto size = fs::file_size(bodies());
  Emulator emulator(Options());
  EXPECT_NE(log_.find("bytes that no record names"), std::string::npos) << log_;
  EXPECT_LT(fs::file_size(bodies()), size);
  EXPECT_EQ(Read(emulator, "a"), 200);
}

}  // namespace
}  // namespace gcsflux::emulator
