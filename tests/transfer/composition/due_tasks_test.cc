#include "transfer/composition/due_tasks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "support/request_slots.h"

namespace gcsflux::internal {
namespace {

using namespace std::chrono_literals;
using Clock = DueTasks::Clock;

class DueTasksTest : public ::testing::Test {
 protected:
  const std::shared_ptr<RequestSlots> slots_ = testing::MakeSlots(2);
  const std::shared_ptr<DueTasks> tasks_ = std::make_shared<DueTasks>(slots_);
};

// On one thread: with two, both could start, at any distance of their times.
TEST(DueTasks, RunsTasksWhenDue) {
  const auto slots = testing::MakeSlots(1);
  const auto tasks = std::make_shared<DueTasks>(slots);
  std::latch both(2);
  std::atomic<bool> first_is_done = false;
  std::atomic<bool> was_in_order = false;
  tasks->Post(Clock::now() + 30ms, [&](const std::stop_token&) {
    was_in_order = first_is_done.load();
    both.count_down();
  });
  tasks->Post(Clock::now(), [&](const std::stop_token&) {
    first_is_done = true;
    both.count_down();
  });
  both.wait();
  EXPECT_TRUE(was_in_order);
  tasks->Drain(10s);
}

TEST_F(DueTasksTest, DrainsTasksPostedByTasks) {
  std::atomic<int> done = 0;
  tasks_->Post(Clock::now(), [&](const std::stop_token&) {
    tasks_->Post(Clock::now() + 5ms, [&](const std::stop_token&) { ++done; });
    ++done;
  });
  tasks_->Drain(10s);
  EXPECT_EQ(done, 2);
}

TEST_F(DueTasksTest, StopsAndDropsTasksAfterItsTimeLimit) {
  std::atomic<bool> has_run = false;
  std::latch begun(1);
  tasks_->Post(Clock::now(), [&](const std::stop_token& stop) {
    begun.count_down();
    while (!stop.stop_requested()) std::this_thread::yield();
  });
  tasks_->Post(Clock::now() + 1h, [&](const std::stop_token&) { has_run = true; });
  begun.wait();
  tasks_->Drain(1ms);
  tasks_->Post(Clock::now(), [&](const std::stop_token&) { has_run = true; });
  EXPECT_EQ(tasks_->Take(), nullptr);
  EXPECT_FALSE(has_run);
}

// Many at a time, due within some milliseconds: none is forgotten.
TEST_F(DueTasksTest, RunsEachOfManyTasks) {
  std::atomic<int> done = 0;
  for (int i = 0; i < 500; ++i) {
    tasks_->Post(Clock::now() + std::chrono::microseconds(i * 7 % 3000), [&](const std::stop_token&) { ++done; });
  }
  tasks_->Drain(60s);
  EXPECT_EQ(done, 500);
}

}  // namespace
}  // namespace gcsflux::internal
