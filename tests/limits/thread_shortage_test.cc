// A system that starts fewer threads than requested, or none.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <mutex>
#include <string>
#include <vector>

#include "base/process/run_with_time_limit.h"
#include "gcsflux/client.h"
#include "gcsflux/download.h"
#include "gcsflux/download_file.h"
#include "gcsflux/upload.h"
#include "support/emulator_process.h"
#include "support/fails_with.h"
#include "support/open_files_limit.h"
#include "support/request_slots.h"
#include "support/test_directory.h"
#include "support/thread_limit.h"
#include "support/upload_in_parts.h"
#include "transfer/composition/due_tasks.h"
#include "transfer/threads/run_on_threads.h"

namespace gcsflux {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::ThreadLimit;

class Shortages : public EventListener {
 public:
  void OnEvent(const Event& event) override {
    if (event.kind != EventKind::kThreadShortage) return;
    const std::scoped_lock lock(mutex_);
    ++told;
    wanted = event.wanted;
    started = event.started;
    cause = event.error->message;
  }

  int told = 0;
  std::size_t wanted = 0;
  std::size_t started = 0;
  std::string cause;

 private:
  std::mutex mutex_;
};

// The emulator is a separate process: the limit is this one's.
class ThreadShortageTest : public ::testing::Test {
 protected:
  ThreadShortageTest() { EXPECT_TRUE(client_.InsertBucket("bkt").ok()); }

  std::vector<DownloadSource> Store(int count) {
    std::vector<DownloadSource> sources;
    for (int i = 0; i < count; ++i) {
      const std::string name = "object " + std::to_string(i);
      const auto stored = client_.InsertObject({"bkt", name}, AsBytes(name), {});
      EXPECT_TRUE(stored.ok());
      sources.push_back(DownloadSources(std::span(&*stored, 1)).front());
    }
    return sources;
  }

  static std::string TextOf(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  static void ExpectNoThread(const Error& error) {
    EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kLocalIo, HasSubstr("no thread could be started")));
    EXPECT_THAT(error.message, HasSubstr("ulimit -u"));
  }

  testing::EmulatorProcess emulator_{{"--read_first_byte_ms=5"}};
  std::shared_ptr<Shortages> shortages_ = std::make_shared<Shortages>();
  Client client_ = *Client::Create(
      {.endpoint = emulator_.endpoint(), .project = "p", .io_threads = 4, .event_listener = shortages_});
};

TEST_F(ThreadShortageTest, ReducesThreadsOfADownloader) {
  const auto sources = Store(40);
  const ThreadLimit limit(3);
  const Downloader downloader(client_, {.max_concurrency = 64});
  const Downloader another(client_, {.max_concurrency = 64});
  EXPECT_GE(limit.refused(), 1);
  for (int round = 0; round < 2; ++round) {
    const auto batch = downloader.Download(sources);
    ASSERT_TRUE(batch.ok()) << batch.error().message;
    for (std::size_t i = 0; i < sources.size(); ++i) EXPECT_EQ(TextOf((*batch)[i].bytes), sources[i].object.name);
  }
  EXPECT_EQ(shortages_->told, 1);
  EXPECT_EQ(shortages_->wanted, 4U);
  EXPECT_EQ(shortages_->started, 3U);
  EXPECT_THAT(shortages_->cause, HasSubstr("no thread could be started"));
}

// As soon as the system allows more, the next Downloader of the same client has them.
TEST_F(ThreadShortageTest, DoesNotAffectTheNextDownloader) {
  const auto sources = Store(2);
  {
    const ThreadLimit limit(0);
    EXPECT_FALSE(Downloader(client_).Download(sources).ok());
    EXPECT_GE(limit.refused(), 1);
  }
  EXPECT_TRUE(Downloader(client_).Download(sources).ok());
}

// Fewer connections than requested, and no request that fails without one.
TEST_F(ThreadShortageTest, ReducesConnectionsIfDescriptorsAreShort) {
  const auto sources = Store(300);
  const testing::OpenFilesLimit limit(80);
  for (const bool adapts : {false, true}) {
    const Downloader downloader(client_, {.max_concurrency = 256, .adapts_concurrency = adapts});
    for (int round = 0; round < 3; ++round) {
      const auto batch = downloader.Download(sources);
      ASSERT_TRUE(batch.ok()) << batch.error().message;
      for (std::size_t i = 0; i < sources.size(); ++i) EXPECT_EQ(TextOf((*batch)[i].bytes), sources[i].object.name);
    }
  }
  EXPECT_EQ(client_.counters().retries, 0U);
  EXPECT_EQ(shortages_->told, 1);
  EXPECT_EQ(shortages_->wanted, 256U);
  EXPECT_LE(shortages_->started, 80U);
  EXPECT_THAT(shortages_->cause, HasSubstr("ulimit -n"));
}

TEST_F(ThreadShortageTest, IsIrrelevantIfEachCallHasAThread) {
  const ThreadLimit limit(3);
  std::atomic<int> calls = 0;
  const auto work = [&](std::size_t, const std::stop_token&) {
    ++calls;
    return Result<void>();
  };
  EXPECT_TRUE(internal::RunOnThreads(client_, 3, 20'000, work).ok());
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(limit.refused(), 0);
  EXPECT_EQ(shortages_->told, 0);
}

TEST_F(ThreadShortageTest, FailsADownloadWithoutAnyThread) {
  const auto sources = Store(2);
  const ThreadLimit limit(0);
  const Downloader downloader(client_);
  const auto batch = downloader.Download(sources);
  ASSERT_FALSE(batch.ok());
  ExpectNoThread(batch.error());
  auto stream = downloader.Stream(sources);
  for (int i = 0; i < 2; ++i) {
    const auto next = stream.Next();
    ASSERT_FALSE(next.ok());
    ExpectNoThread(next.error());
  }
  EXPECT_GE(limit.refused(), 1);
}

TEST_F(ThreadShortageTest, ReducesThreadsOfAListing) {
  const auto sources = Store(3);
  for (const int threads : {0, 1, 2}) {
    const ThreadLimit limit(threads);
    const auto listing = ListInParallel(client_, {"bkt"});
    ASSERT_TRUE(listing.ok()) << listing.error().message;
    EXPECT_EQ(listing->objects.size(), sources.size());
    EXPECT_GE(limit.refused(), 1);
  }
  EXPECT_EQ(shortages_->told, 1);
  EXPECT_EQ(shortages_->wanted, 48U);
  EXPECT_EQ(shortages_->started, 0U);
}

TEST_F(ThreadShortageTest, MovesFilesAndPartsToTheCallersThread) {
  const testing::TestDirectory directory;
  const std::string bytes(11 << 20, 'x');
  const ThreadLimit limit(0);
  const auto stored = testing::UploadInParts(client_, {"bkt", "large"}, AsBytes(bytes));
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(stored->size, bytes.size());
  const auto file = DownloadFile(client_, {"bkt", "large"}, directory.path() / "large", {.range_bytes = 1 << 20});
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(std::filesystem::file_size(directory.path() / "large"), bytes.size());
  EXPECT_GE(limit.refused(), 2);
}

TEST_F(ThreadShortageTest, IsNotCausedByOptionsOutOfRange) {
  const auto sources = Store(1);
  const testing::TestDirectory directory;
  const auto refused = [](const auto& result) {
    return !result.ok() && result.error().code == ErrorCode::kInvalidArgument &&
           result.error().message.find("from 1 to 10000") != std::string::npos;
  };
  for (const int many : {-1, 0, kMaxConcurrency + 1, 1'000'000}) {
    const Downloader downloader(client_, {.max_concurrency = many});
    EXPECT_TRUE(refused(downloader.Download(sources))) << many;
    EXPECT_TRUE(refused(downloader.Stream(sources).Next())) << many;
    EXPECT_TRUE(refused(ListInParallel(client_, {"bkt"}, {.max_concurrency = many}))) << many;
    EXPECT_TRUE(refused(DownloadFile(client_, sources[0].object, directory.path() / "f", {.max_concurrency = many})));
  }
  EXPECT_TRUE(testing::FailsWith(Client::Create({.max_idle_connections = 1'000'000}), ErrorCode::kInvalidArgument));
}

const Client kNowhere = *Client::Create({.endpoint = "http://127.0.0.1:1", .project = "p"});

TEST(RunOnThreadsUnderALimit, CallsEachIndexOnce) {
  for (const int threads : {0, 1, 3}) {
    const ThreadLimit limit(threads);
    std::vector<std::atomic<int>> calls(100);
    const auto done = internal::RunOnThreads(kNowhere, calls.size(), 1000,
                                             [&](std::size_t i, const std::stop_token&) -> Result<void> {
                                               ++calls[i];
                                               return {};
                                             });
    ASSERT_TRUE(done.ok());
    EXPECT_GE(limit.refused(), 1);
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST(RunOnThreadsUnderALimit, StopsAtTheFirstFailureAndOnRequest) {
  const ThreadLimit limit(0);
  int calls = 0;
  const auto fail = [&](std::size_t, const std::stop_token&) -> Result<void> {
    ++calls;
    return Error{ErrorCode::kNotFound, "one"};
  };
  const auto failed = internal::RunOnThreads(kNowhere, 3, 4, fail);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, "one");
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = internal::RunOnThreads(kNowhere, 3, 4, fail, stop.get_token());
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(calls, 1);
}

TEST(RunWithTimeLimitUnderALimit, StopsAtOnce) {
  const ThreadLimit limit(0);
  bool was_stopped = false;
  internal::RunWithTimeLimit([&](const std::stop_token& stop) { was_stopped = stop.stop_requested(); }, 1h);
  EXPECT_TRUE(was_stopped);
  EXPECT_EQ(limit.refused(), 1);
}

TEST(DueTasksUnderALimit, RunLate) {
  using Clock = internal::DueTasks::Clock;
  const auto threads = testing::MakeSlots(2);
  const auto tasks = std::make_shared<internal::DueTasks>(threads);
  std::atomic<int> done = 0;
  const ThreadLimit limit(0);
  tasks->Post(Clock::now() + 20ms, [&](const std::stop_token&) {
    ++done;
    tasks->Post(Clock::now() + 20ms, [&](const std::stop_token&) { ++done; });
  });
  EXPECT_GE(limit.refused(), 1);
  tasks->Drain(1h);
  EXPECT_EQ(done, 2);
}

TEST(CompositeCleanupUnderALimit, FailsWithoutChangingSignals) {
  const auto now = [] {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    struct sigaction action {};
    sigaction(SIGINT, nullptr, &action);
    return std::pair(sigismember(&mask, SIGUSR1), action.sa_handler);
  };
  const auto before = now();
  {
    const ThreadLimit limit(0);
    EXPECT_TRUE(
        testing::FailsWith(InstallCompositeCleanup(), ErrorCode::kLocalIo, HasSubstr("no thread could be started")));
  }
  EXPECT_EQ(now(), before);
  EXPECT_TRUE(InstallCompositeCleanup().ok());
}

}  // namespace
}  // namespace gcsflux
