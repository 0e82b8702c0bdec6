// A thousand children of a process whose threads read: parent and children receive their own answers, and none hangs.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <random>
#include <thread>

#include "fork/fork_fixture.h"

namespace gcsflux {
namespace {

using testing::Child;

constexpr std::size_t kObjects = 64;
constexpr std::size_t kBytes = 20'000;
constexpr std::size_t kAtOnce = 4;
#if defined(__SANITIZE_ADDRESS__)
// The runtime of g++ 12 has no handlers for fork(): if another thread holds a lock of its allocator, the child never
// gets it and hangs in malloc(). So here no thread reads meanwhile.
constexpr std::size_t kThreads = 0;
#else
constexpr std::size_t kThreads = 8;
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kForks = 100;  // A fork copies the sanitizer's memory too.
#else
constexpr std::size_t kForks = 500;
#endif

class ForksUnderLoad : public testing::ForkTest, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    Start(GetParam());
    Put(kObjects, kBytes);
    client_.emplace(*Client::Create(Options()));
    downloader_.emplace(*client_, DownloaderOptions{.max_concurrency = 4});
  }

  void ReadUntilStopped(std::size_t seed, const std::stop_token& stop) {
    std::mt19937_64 random(seed);
    while (!stop.stop_requested()) {
      const std::size_t index = random() % kObjects;
      const std::string failure = Read(*client_, index);
      ++reads_;
      if (failure.empty()) continue;
      const std::scoped_lock lock(mutex_);
      failures_.push_back("parent: " + failure);
    }
  }

  // The work of each child; every twentieth downloads all objects, with threads of its own.
  [[nodiscard]] std::string ReadInChild(std::size_t number) const {
    for (std::size_t i = 0; i < 3; ++i) {
      if (auto failure = Read(*client_, (number * 7 + i) % kObjects); !failure.empty()) return failure;
    }
    return number % 20 == 0 ? DownloadAll(*downloader_) : "";
  }

  void Note(const std::string& failure) {
    if (failure.empty()) return;
    const std::scoped_lock lock(mutex_);
    failures_.push_back("child: " + failure);
  }

  std::optional<Client> client_;
  std::optional<Downloader> downloader_;
  std::atomic<std::uint64_t> reads_ = 0;
  std::mutex mutex_;
  std::vector<std::string> failures_;  // Guarded by mutex_.
};

TEST_P(ForksUnderLoad, GiveParentAndChildrenTheirOwnAnswers) {
  ASSERT_EQ(DownloadAll(*downloader_), "");
  std::vector<std::jthread> readers;
  for (std::size_t i = 0; i < kThreads; ++i) {
    readers.emplace_back([this, i](const std::stop_token& stop) { ReadUntilStopped(i, stop); });
  }
  std::deque<Child> children;
  for (std::size_t i = 0; i < kForks; ++i) {
    if (children.size() == kAtOnce) {
      Note(children.front().Wait());
      children.pop_front();
    }
    children.emplace_back([this, i] { return ReadInChild(i); });
  }
  for (Child& child : children) Note(child.Wait());
  for (auto& reader : readers) reader.request_stop();
  readers.clear();
  EXPECT_EQ(DownloadAll(*downloader_), "");
  if (kThreads > 0) {
    EXPECT_GT(reads_, kForks);
  }
  ASSERT_TRUE(failures_.empty()) << failures_.size() << " failures, the first: " << failures_.front();
}

INSTANTIATE_TEST_SUITE_P(Transports, ForksUnderLoad, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "Tls" : "Plain"; });

}  // namespace
}  // namespace gcsflux
