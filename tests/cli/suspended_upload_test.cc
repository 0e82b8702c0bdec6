#include "cli/copy/suspended_upload.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "support/test_directory.h"

namespace gcsflux::cli {
namespace {

namespace fs = std::filesystem;

class SuspendedUploadFileTest : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("XDG_STATE_HOME", directory_.path().c_str(), 1); }
  void TearDown() override { ::unsetenv("XDG_STATE_HOME"); }

  testing::TestDirectory directory_;
  const fs::path states_ = directory_.path() / "gcsflux/uploads";
};

TEST_F(SuspendedUploadFileTest, LoadsTheLastSavedState) {
  ASSERT_TRUE(SuspendedUpload::Open("key")->Save("a long state"));
  EXPECT_EQ(SuspendedUpload::Open("key")->Load(), "a long state");
  ASSERT_TRUE(SuspendedUpload::Open("key")->Save("state"));
  EXPECT_EQ(SuspendedUpload::Open("key")->Load(), "state");
  EXPECT_EQ(SuspendedUpload::Open("another")->Load(), "");
}

TEST_F(SuspendedUploadFileTest, AdmitsOneUser) {
  const auto first = SuspendedUpload::Open("key");
  ASSERT_TRUE(first);
  EXPECT_FALSE(SuspendedUpload::Open("key"));
  EXPECT_TRUE(SuspendedUpload::Open("another"));
}

TEST_F(SuspendedUploadFileTest, KeepsTheFirstUsersFileWhenASecondIsRefused) {
  {
    const auto first = SuspendedUpload::Open("key");
    EXPECT_FALSE(SuspendedUpload::Open("key"));
    ASSERT_TRUE(first->Save("state"));
  }
  EXPECT_EQ(SuspendedUpload::Open("key")->Load(), "state");
}

TEST_F(SuspendedUploadFileTest, KeepsAFileThatReplacedItsOwn) {
  {
    const auto removed = SuspendedUpload::Open("key");
    ASSERT_TRUE(removed);
    fs::remove(states_ / "key");
    ASSERT_TRUE(SuspendedUpload::Open("key")->Save("another's"));
  }
  EXPECT_EQ(SuspendedUpload::Open("key")->Load(), "another's");
}

TEST_F(SuspendedUploadFileTest, IsReadableOnlyByItsOwner) {
  ASSERT_TRUE(SuspendedUpload::Open("key")->Save("state"));
  constexpr auto kOthers = fs::perms::group_all | fs::perms::others_all;
  EXPECT_EQ(fs::status(states_).permissions() & kOthers, fs::perms::none);
  for (const auto& entry : fs::directory_iterator(states_)) {
    EXPECT_EQ(entry.status().permissions() & kOthers, fs::perms::none);
  }
}

TEST_F(SuspendedUploadFileTest, LeavesNoFileWithoutAState) {
  ASSERT_TRUE(SuspendedUpload::Open("key"));
  {
    const auto upload = SuspendedUpload::Open("key");
    ASSERT_TRUE(upload->Save("state"));
    ASSERT_TRUE(upload->Save(""));
    EXPECT_EQ(upload->Load(), "");
    ASSERT_TRUE(upload->Save("later"));
    ASSERT_TRUE(upload->Save(""));
  }
  EXPECT_TRUE(fs::is_empty(states_));
}

TEST_F(SuspendedUploadFileTest, FailsWithoutAStateDirectory) {
  ::setenv("XDG_STATE_HOME", (directory_.Write("file", "") + "/below").c_str(), 1);
  EXPECT_FALSE(SuspendedUpload::Open("key"));
}

}  // namespace
}  // namespace gcsflux::cli
