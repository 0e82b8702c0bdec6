// Tasks that run concurrently up to the limit.
#include "loop/request_slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "loop/wait_list.h"

namespace gcsflux::internal {
namespace {

// Endless tasks, which wait for their release.
class Tasks : public TaskSource {
 public:
  std::function<void()> Take() override {
    const std::scoped_lock lock(mutex_);
    if (left_ == 0) return nullptr;
    --left_;
    return [this] { Work(); };
  }

  // Until this many run.
  void AwaitWorking(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.Wait(lock, {}, [&] { return working_ >= count; });
  }
  void AwaitDone(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.Wait(lock, {}, [&] { return done_ >= count; });
  }
  void LetGo(std::size_t count) {
    const std::scoped_lock lock(mutex_);
    let_go_ += count;
    changed_.NotifyAll();
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
    changed_.NotifyAll();
    changed_.Wait(lock, {}, [this] { return let_go_ > 0; });
    --let_go_;
    --working_;
    ++done_;
    changed_.NotifyAll();
  }

  std::mutex mutex_;
  WaitList changed_;
  // Guarded by mutex_:
  std::size_t left_ = 1000;
  std::size_t working_ = 0;
  std::size_t most_ = 0;
  std::size_t done_ = 0;
  std::size_t let_go_ = 0;
};

class RequestSlotsTest : public ::testing::Test {
 protected:
  ~RequestSlotsTest() override { tasks_->LetGo(1000); }

  const std::shared_ptr<Tasks> tasks_ = std::make_shared<Tasks>();
  EventLoops loops_{2};
  RequestSlots slots_{loops_, 2};
};

TEST_F(RequestSlotsTest, RunAsManyTasksAsAHigherLimitAllows) {
  slots_.Offer(tasks_);
  tasks_->AwaitWorking(2);
  slots_.SetLimit(700);
  tasks_->AwaitWorking(700);
  EXPECT_EQ(slots_.busy(), 700U);
  EXPECT_EQ(tasks_->most(), 700U);
}

TEST_F(RequestSlotsTest, RunNoMoreThanALowerLimitAllows) {
  slots_.SetLimit(8);
  slots_.Offer(tasks_);
  tasks_->AwaitWorking(8);
  slots_.SetLimit(3);
  tasks_->LetGo(5);
  tasks_->AwaitDone(5);
  tasks_->ForgetMost();
  for (std::size_t done = 5; done < 100; ++done) {
    tasks_->LetGo(1);
    tasks_->AwaitDone(done + 1);
  }
  EXPECT_LE(tasks_->most(), 3U);
  slots_.SetLimit(8);
  tasks_->AwaitWorking(8);
}

TEST_F(RequestSlotsTest, RunAtLeastOneTask) {
  slots_.SetLimit(0);
  slots_.Offer(tasks_);
  tasks_->AwaitWorking(1);
  EXPECT_EQ(slots_.limit(), 1U);
}

TEST_F(RequestSlotsTest, ServeASmallWorkloadBesideALargeOne) {
  const auto small = std::make_shared<Tasks>();
  slots_.Offer(tasks_);
  tasks_->AwaitWorking(2);
  slots_.Offer(small);
  tasks_->LetGo(2);
  small->AwaitWorking(1);
  small->LetGo(1000);
}

// The tasks themselves raise the limit while the owner ends the slots.
TEST(RequestSlots, CanGrowDuringTheirEnd) {
  class Growing : public TaskSource {
   public:
    std::function<void()> Take() override {
      if (--left_ < 0) return nullptr;
      return [this] { slots_->SetLimit(++limit_); };
    }
    std::atomic<int> left_ = 50;
    std::atomic<std::size_t> limit_ = 1;
    RequestSlots* slots_ = nullptr;
  };
  EventLoops loops(2);
  for (int round = 0; round < 50; ++round) {
    const auto growing = std::make_shared<Growing>();
    RequestSlots slots(loops, 1);
    growing->slots_ = &slots;
    slots.Offer(growing);
  }
}

}  // namespace
}  // namespace gcsflux::internal
