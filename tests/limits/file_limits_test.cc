// A process without free descriptors, or with a limit of file sizes; and names that no file can have.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "gcsflux/download.h"
#include "gcsflux/download_file.h"
#include "gcsflux/events.h"
#include "gcsflux/upload.h"
#include "support/emulator_process.h"
#include "support/fails_with.h"
#include "support/test_directory.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Lowers a soft limit, and raises it again.
class Limited {
 public:
  Limited(int resource, rlim_t most) : resource_(resource) {
    ::getrlimit(Resource(), &before_);
    rlimit now = before_;
    now.rlim_cur = most;
    ::setrlimit(Resource(), &now);
  }
  ~Limited() { ::setrlimit(Resource(), &before_); }
  Limited(const Limited&) = delete;
  Limited& operator=(const Limited&) = delete;

 private:
  [[nodiscard]] __rlimit_resource_t Resource() const { return static_cast<__rlimit_resource_t>(resource_); }

  const int resource_;
  rlimit before_{};
};

// Gives the process its descriptors back after the first failure.
class GiveBack : public EventListener {
 public:
  explicit GiveBack(int descriptors) : limited_(std::in_place, RLIMIT_NOFILE, static_cast<rlim_t>(descriptors)) {}
  void OnEvent(const Event& event) override {
    if (event.kind == EventKind::kRetry) limited_.reset(), ++retries;
  }
  std::atomic<int> retries = 0;

 private:
  std::optional<Limited> limited_;
};

class FileLimitsTest : public ::testing::Test {
 protected:
  FileLimitsTest() {
    EXPECT_TRUE(client_.InsertBucket("bkt").ok());
    EXPECT_TRUE(client_.InsertObject({"bkt", "large"}, AsBytes(std::string(4 << 20, 'x')), {}).ok());
  }

  testing::EmulatorProcess emulator_;
  Client client_ = *Client::Create(
      {.endpoint = emulator_.endpoint(), .project = "p", .retry = RetryPolicies::All({.max_attempts = 1})});
  testing::TestDirectory directory_;
};

struct Disposition {
  bool is_default = false;
  bool is_blocked = false;
  bool is_pending = false;
  friend bool operator==(const Disposition&, const Disposition&) = default;
};

Disposition FileSizeSignalNow() {
  struct sigaction action {};
  sigaction(SIGXFSZ, nullptr, &action);
  sigset_t blocked;
  sigset_t pending;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  sigpending(&pending);
  return {action.sa_handler == SIG_DFL, sigismember(&blocked, SIGXFSZ) == 1, sigismember(&pending, SIGXFSZ) == 1};
}

// In a separate process, which the signal would end.
void ExpectLocalIoAndExit(const Result<void>& result, const Disposition& before) {
  const bool is_right = !result.ok() && result.error().code == ErrorCode::kLocalIo && FileSizeSignalNow() == before;
  std::cerr << (result.ok() ? "no error" : result.error().message) << (is_right ? "; as it should be" : "");
  std::cerr.flush();
  ::_exit(is_right ? 0 : 1);
}

TEST_F(FileLimitsTest, FailADownloadAboveTheLimitOfFileSizes) {
  const auto download = [&] {
    const auto before = FileSizeSignalNow();
    const Limited limited(RLIMIT_FSIZE, 1 << 20);
    for (const std::uint64_t range : {std::uint64_t{1} << 20, std::uint64_t{1} << 30}) {
      const auto file = DownloadFile(client_, {"bkt", "large"}, directory_.path() / "large", {.range_bytes = range});
      if (file || file.error().code != ErrorCode::kLocalIo) return ExpectLocalIoAndExit({}, before);
      if (range >> 30) return ExpectLocalIoAndExit(file.error(), before);
    }
  };
  EXPECT_EXIT(download(), ::testing::ExitedWithCode(0), "File too large.*as it should be");
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "large"));
}

TEST_F(FileLimitsTest, FailATraceAboveTheLimitOfFileSizes) {
  const auto trace = [&] {
    const auto before = FileSizeSignalNow();
    const auto writer = TraceWriter::Open(directory_.path() / "trace");
    {
      const Limited limited(RLIMIT_FSIZE, 10);
      auto client = Client::Create({.endpoint = emulator_.endpoint(), .event_listener = *writer});
      for (int i = 0; i < 3; ++i) static_cast<void>(client->GetBucket("bkt").ok());
    }
    ExpectLocalIoAndExit((*writer)->Close(), before);
  };
  EXPECT_EXIT(trace(), ::testing::ExitedWithCode(0), "trace.*as it should be");
}

TEST_F(FileLimitsTest, NameAShortageOfDescriptors) {
  const std::string path = directory_.Write("file", "bytes");
  const int next = ::dup(0);
  ::close(next);
  {
    // Open connections remain open, including the emulator's. New ones are refused.
    const Client fresh =
        *Client::Create({.endpoint = emulator_.endpoint(), .retry = RetryPolicies::All({.max_attempts = 1})});
    const Limited limited(RLIMIT_NOFILE, static_cast<rlim_t>(next));
    EXPECT_TRUE(testing::FailsWith(fresh.ReadObject({"bkt", "large"}), ErrorCode::kUnreachable,
                                   AllOf(HasSubstr("too many open files"), HasSubstr("ulimit -n"))));
    EXPECT_TRUE(testing::FailsWith(UploadFile(fresh, path, {"bkt", "o"}), ErrorCode::kLocalIo,
                                   AllOf(HasSubstr("Too many open files"), HasSubstr("ulimit -n"))));
  }
  EXPECT_TRUE(client_.ReadObject({"bkt", "large"}).ok());
}

TEST_F(FileLimitsTest, RetryUntilDescriptorsAreFree) {
  const int next = ::dup(0);
  ::close(next);
  const auto listener = std::make_shared<GiveBack>(next);
  const Client fresh = *Client::Create({.endpoint = emulator_.endpoint(), .event_listener = listener});
  EXPECT_TRUE(fresh.ReadObject({"bkt", "large"}).ok());
  EXPECT_EQ(listener->retries, 1);
}

// With this many more descriptors than are open, the loop may not start, or it starts and libcurl gets no connection.
TEST_F(FileLimitsTest, ContinueADownloadOnceDescriptorsAreFree) {
  const auto object = client_.GetObject({"bkt", "large"});
  ASSERT_TRUE(object) << object.error().message;
  const auto sources = DownloadSources({&*object, 1});
  const int next = ::dup(0);
  ::close(next);
  int retried = 0;
  for (int more = 0; more < 12; ++more) {
    const auto listener = std::make_shared<GiveBack>(next + more);
    const Client fresh = *Client::Create({.endpoint = emulator_.endpoint(),
                                          .retry = RetryPolicies::All({.max_attempts = 3}),
                                          .io_threads = 1,
                                          .event_listener = listener});
    const auto downloaded = Downloader(fresh).Download(sources);
    retried += listener->retries;
    if (downloaded) continue;
    EXPECT_EQ(downloaded.error().code, ErrorCode::kLocalIo) << more << ": " << downloaded.error().message;
    EXPECT_EQ(listener->retries, 0) << "the loop did not begin";
  }
  EXPECT_GE(retried, 2) << "libcurl always had its descriptors";
}

TEST_F(FileLimitsTest, RefuseAnImpossibleFileNameBeforeFetching) {
  const Client nowhere =
      *Client::Create({.endpoint = "http://127.0.0.1:1", .retry = RetryPolicies::All({.max_attempts = 1})});
  const std::string in = directory_.path().string() + "/";
  const std::vector<std::string> paths = {in + std::string(256, 'n'), in + std::string(4'000, 'n'),
                                          in + std::string(5'000, '/') + "n", in + std::string("a\0b", 3)};
  for (const std::string& path : paths) {
    const auto file = DownloadFile(nowhere, {"bkt", "large"}, path);
    ASSERT_TRUE(testing::FailsWith(file, ErrorCode::kInvalidArgument));
    EXPECT_TRUE(
        testing::FailsWith(DownloadListed(nowhere, {.object = {"bkt", "large"}, .size = 1, .generation = 1}, path),
                           ErrorCode::kInvalidArgument));
  }
  for (const std::size_t length : {1U, 200U, 237U, 238U, 239U, 250U, 255U}) {
    const auto path = directory_.path() / std::string(length, 'n');
    const auto file = DownloadFile(client_, {"bkt", "large"}, path);
    ASSERT_TRUE(file.ok()) << length << ": " << file.error().message;
    EXPECT_EQ(std::filesystem::file_size(path), 4U << 20) << length;
  }
}

}  // namespace
}  // namespace gcsflux
