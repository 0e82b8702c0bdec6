// DownloadFile and the files of others: links, directories, other downloads of the same file, full disks.
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "integration/download_file_fixture.h"
#include "support/fails_with.h"
#include "transfer/file/partial_file.h"

namespace gcsflux {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using testing::Pattern;

TEST_F(DownloadFileTest, ReplacesAFileOnlyIfAllowed) {
  static_cast<void>(directory_.Write("file", "earlier"));
  auto options = Options();
  options.may_replace = false;
  EXPECT_TRUE(testing::FailsWith(DownloadListed(client_, object_, file_, options), ErrorCode::kAlreadyExists));
  ExpectWhole("earlier");
  options.may_replace = true;
  options.is_durable = true;
  ASSERT_TRUE(DownloadListed(client_, object_, file_, options).ok());
  ExpectWhole();
}

TEST_F(DownloadFileTest, KeepsAFileThatAppearsMeanwhile) {
  auto options = Options();
  std::once_flag once;
  options.on_progress = [&](const Progress&) {
    std::call_once(once, [&] { static_cast<void>(directory_.Write("file", "another program's")); });
  };
  options.may_replace = false;
  EXPECT_TRUE(testing::FailsWith(DownloadListed(client_, object_, file_, options), ErrorCode::kAlreadyExists));
  ExpectWhole("another program's");
}

TEST_F(DownloadFileTest, ReplacesASymbolicLinkButNotItsTarget) {
  const std::string target = directory_.Write("target", "untouched");
  fs::create_symlink(target, file_);
  ASSERT_TRUE(DownloadListed(client_, object_, file_, Options()).ok());
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file_)));
  EXPECT_EQ(ReadAll(target), "untouched");
  ExpectWhole();
}

TEST_F(DownloadFileTest, FollowsNoLinkInPlaceOfItsTemporaryFile) {
  const std::string target = directory_.Write("target", "untouched");
  fs::create_symlink(target, partial_);
  EXPECT_TRUE(testing::FailsWith(DownloadListed(client_, object_, file_, Options()), ErrorCode::kLocalIo));
  EXPECT_EQ(ReadAll(target), "untouched");
}

TEST_F(DownloadFileTest, NamesAnUnwritablePath) {
  fs::create_directory(file_);
  const std::string pipe = directory_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), S_IRUSR | S_IWUSR), 0);
  struct Case {
    std::string path;
    ErrorCode want;
  };
  for (const Case& c : {Case{directory_.path() / "none" / "file", ErrorCode::kLocalIo},
                        Case{file_, ErrorCode::kLocalIo}, Case{"", ErrorCode::kInvalidArgument},
                        Case{file_ + "/", ErrorCode::kInvalidArgument}, Case{pipe, ErrorCode::kLocalIo},
                        Case{directory_.path() / std::string(256, 'n'), ErrorCode::kInvalidArgument}}) {
    const auto failed = DownloadListed(client_, object_, c.path, Options());
    ASSERT_TRUE(testing::FailsWith(failed, c.want)) << c.path;
    EXPECT_NE(failed.error().message.find('\''), std::string::npos) << failed.error().message;
  }
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(DownloadFileTest, SupportsTheLongestFileName) {
  const fs::path path = directory_.path() / std::string(255, 'n');
  ASSERT_TRUE(DownloadListed(client_, object_, path, Options()).ok());
  EXPECT_TRUE(ReadAll(path) == Pattern(kSize));
}

TEST_F(DownloadFileTest, RefusesASecondDownloadOfOneFile) {
  Load({.covers_byte = 0}, {.type = "stall", .after_bytes = 1'000, .duration = seconds(3'600)});
  emulator_.clock().Freeze();
  std::stop_source stop;
  auto options = Options();
  options.stop = stop.get_token();
  const std::jthread first([&] { static_cast<void>(DownloadListed(client_, object_, file_, options)); });
  emulator_.clock().AwaitWaiters(1);
  const auto second = DownloadListed(client_, object_, file_, Options());
  stop.request_stop();
  ASSERT_TRUE(testing::FailsWith(second, ErrorCode::kLocalIo));
  EXPECT_NE(second.error().message.find("another download"), std::string::npos) << second.error().message;
}

TEST_F(DownloadFileTest, DoesNotPublishAnotherDownloadsPartialFile) {
  static_cast<void>(directory_.Write("file", "earlier"));
  const auto failed = DownloadListed(client_, object_, file_, ThatReplaceThePartialFile());
  ASSERT_TRUE(testing::FailsWith(failed, ErrorCode::kLocalIo));
  EXPECT_NE(failed.error().message.find("was removed, moved or replaced"), std::string::npos) << failed.error().message;
  EXPECT_EQ(ReadAll(file_), "earlier");
  EXPECT_EQ(ReadAll(partial_), kOthers);
}

TEST_F(DownloadFileTest, KeepsAnotherDownloadsPartialFile) {
  Load({.covers_byte = kSize - 1}, {.type = "status", .status = 404});
  const auto failed = DownloadListed(client_, object_, file_, ThatReplaceThePartialFile());
  EXPECT_EQ(Fired(), 1U);
  EXPECT_TRUE(testing::FailsWith(failed, ErrorCode::kNotFound));
  EXPECT_EQ(ReadAll(partial_), kOthers);
}

TEST_F(DownloadFileTest, FailsIfItsDirectoryIsMoved) {
  const fs::path place = directory_.path() / "place";
  const fs::path moved = directory_.path() / "moved";
  fs::create_directory(place);
  std::once_flag once;
  auto options = Options();
  options.on_progress = [&](const Progress&) {
    std::call_once(once, [&] {
      fs::rename(place, moved);
      fs::create_directory(place);
      std::ofstream(place / ".file.gcsflux-partial") << "another's";
    });
  };
  EXPECT_TRUE(testing::FailsWith(DownloadListed(client_, object_, place / "file", options), ErrorCode::kLocalIo));
  EXPECT_FALSE(fs::exists(place / "file"));
  EXPECT_EQ(ReadAll(place / ".file.gcsflux-partial"), "another's");
}

TEST_F(DownloadFileTest, KeepsLinksOfTheSystem) {
  for (const char* link : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    EXPECT_TRUE(testing::FailsWith(DownloadListed(client_, object_, link, Options()), ErrorCode::kLocalIo)) << link;
    EXPECT_TRUE(fs::is_symlink(link));
  }
}

// After 17 of 24 MiB, the file cannot grow beyond 20 MiB, and nothing can be written after its bytes.
TEST_F(DownloadFileTest, KeepsThePartialFileIfTheDiskIsFull) {
  constexpr std::size_t kLarge = 24 * kRange;
  Store(Pattern(kLarge));
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit small = old;
  small.rlim_cur = 20 * kRange;
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  std::once_flag once;
  auto options = Options();
  options.max_concurrency = 1;
  options.on_progress = [&](const Progress& progress) {
    if (progress.bytes < 17 * kRange) return;
    std::call_once(once, [&] { ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0); });
  };
  const auto failed = DownloadListed(client_, object_, file_, options);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, old_action);
  EXPECT_TRUE(testing::FailsWith(failed, ErrorCode::kLocalIo));
  EXPECT_TRUE(fs::exists(partial_));
  const auto done = DownloadListed(client_, object_, file_, Options());
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_GE(KeptBytes(*done), 8 * kRange);
  ExpectWhole(Pattern(kLarge));
}

// Like a full disk, except for the system's error code.
TEST_F(DownloadFileTest, ReportsWhyAFileCannotGrow) {
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit small = old;
  small.rlim_cur = 2 * kRange + 100'000;
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  auto options = Options();
  options.max_concurrency = 1;
  const auto failed = DownloadListed(client_, object_, file_, options);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, old_action);
  ASSERT_TRUE(testing::FailsWith(failed, ErrorCode::kLocalIo));
  // Some file systems report it at the reservation, others at the write.
  EXPECT_NE(failed.error().message.find(".file.gcsflux-partial': File too large"), std::string::npos)
      << failed.error().message;
  EXPECT_FALSE(fs::exists(file_));
  ASSERT_TRUE(DownloadListed(client_, object_, file_, Options()).ok());
  ExpectWhole();
}

}  // namespace
}  // namespace gcsflux
