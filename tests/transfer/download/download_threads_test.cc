// Threads of which so many work at the same time as their limit says.
#include "transfer/download/download_threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace gcsflux::internal {
namespace {

// Tasks without end, which wait to be let go.
class Tasks : public Workload {
 public:
  std::function<void()> Take() override {
    const std::scoped_lock lock(mutex_);
    if (left_ == 0) return nullptr;
    --left_;
    return [this] { Work(); };
  }

  // Until so many are at work.
  void AwaitWorking(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return working_ >= count; });
  }
  void AwaitDone(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ >= count; });
  }
  void LetGo(std::size_t count) {
    const std::scoped_lock lock(mutex_);
    let_go_ += count;
    changed_.notify_all();
  }
  std::size_t most() {
    const std::scoped_lock lock(mutex_);
    return most_;
  }
  void ForgetMost() {
    const std::scoped_lock lock(mutex_);
    most_ = working_;
  }

 private:
  void Work() {
    std::unique_lock lock(mutex_);
    most_ = std::max(most_, ++working_);
    changed_.notify_all();
    changed_.wait(lock, [this] { return let_go_ > 0; });
    --let_go_;
    --working_;
    ++done_;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  std::size_t left_ = 1000;
  std::size_t working_ = 0;
  std::size_t most_ = 0;
  std::size_t done_ = 0;
  std::size_t let_go_ = 0;
};

class DownloadThreadsTest : public ::testing::Test {
 protected:
  ~DownloadThreadsTest() override { tasks_->LetGo(1000); }

  const std::shared_ptr<Tasks> tasks_ = std::make_shared<Tasks>();
  DownloadThreads threads_{2};
};

TEST_F(DownloadThreadsTest, StartsThoseThatAHigherLimitNeeds) {
  threads_.Offer(tasks_);
  tasks_->AwaitWorking(2);
  EXPECT_EQ(threads_.size(), 2U);
  threads_.SetLimit(7);
  tasks_->AwaitWorking(7);
  EXPECT_EQ(threads_.size(), 7U);
  EXPECT_EQ(threads_.busy(), 7U);
  EXPECT_EQ(tasks_->most(), 7U);
}

TEST_F(DownloadThreadsTest, LetsThoseAboveALowerLimitWait) {
  threads_.SetLimit(8);
  threads_.Offer(tasks_);
  tasks_->AwaitWorking(8);
  threads_.SetLimit(3);
  tasks_->LetGo(5);
  tasks_->AwaitDone(5);
  tasks_->ForgetMost();
  for (std::size_t done = 5; done < 100; ++done) {
    tasks_->LetGo(1);
    tasks_->AwaitDone(done + 1);
  }
  EXPECT_LE(tasks_->most(), 3U);
  EXPECT_EQ(threads_.size(), 8U);
  threads_.SetLimit(8);
  tasks_->AwaitWorking(8);
  EXPECT_EQ(threads_.size(), 8U);
}

TEST_F(DownloadThreadsTest, KeepsOneAtWorkWhateverTheLimit) {
  threads_.SetLimit(0);
  threads_.Offer(tasks_);
  tasks_->AwaitWorking(1);
  EXPECT_EQ(threads_.limit(), 1U);
}

// The limit is raised by the threads themselves, as many of them as there are, while the owner ends them.
TEST(DownloadThreads, GrowWhileTheyAreEnded) {
  class Growing : public Workload {
   public:
    std::function<void()> Take() override {
      if (--left_ < 0) return nullptr;
      return [this] { threads_->SetLimit(++limit_); };
    }
    std::atomic<int> left_ = 50;
    std::atomic<std::size_t> limit_ = 1;
    DownloadThreads* threads_ = nullptr;
  };
  for (int round = 0; round < 50; ++round) {
    const auto growing = std::make_shared<Growing>();
    DownloadThreads threads(1);
    growing->threads_ = &threads;
    threads.Offer(growing);
  }
}

}  // namespace
}  // namespace gcsflux::internal
