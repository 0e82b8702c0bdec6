#include "loop/run_at_once.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <stdexcept>

#include "base/process/mutex.h"
#include "loop/event_loops.h"
#include "loop/wait_list.h"

namespace gcsflux::internal {
namespace {

// A place where a number of fibers and threads wait for each other.
class MeetingPoint {
 public:
  explicit MeetingPoint(int missing) : missing_(missing) {}
  void Arrive() {
    MutexLock lock(mutex_);
    --missing_;
    arrived_.NotifyAll();
    EXPECT_TRUE(arrived_.Wait(lock, {}, [&]() REQUIRES(mutex_) { return missing_ == 0; }));
  }

 private:
  Mutex mutex_;
  WaitList arrived_;
  int missing_ GUARDED_BY(mutex_);
};

TEST(RunAtOnce, RunsTasksThatWaitForEachOther) {
  EventLoops loops(1);
  MeetingPoint meeting(3);
  const std::function<void()> arrive = [&] { meeting.Arrive(); };
  RunAtOnce(loops, {arrive, arrive, arrive});
}

TEST(RunAtOnce, MayBeCalledByAFiber) {
  EventLoops loops(1);
  std::atomic<int> done = 0;
  MeetingPoint over(2);
  loops.Spawn([&] {
    MeetingPoint meeting(2);
    const std::function<void()> arrive = [&] {
      meeting.Arrive();
      ++done;
    };
    RunAtOnce(loops, {arrive, arrive});
    over.Arrive();
  });
  over.Arrive();
  EXPECT_EQ(done, 2);
}

TEST(RunAtOnce, RunsAllTasksWithoutLoops) {
  EventLoops none(0);
  int done = 0;
  const std::function<void()> count = [&] { ++done; };
  RunAtOnce(none, {count, count, count});
  RunAtOnce(none, {});
  EXPECT_EQ(done, 3);
}

TEST(RunAtOnce, ThrowsAfterAllTasksHaveEnded) {
  EventLoops loops(1);
  std::atomic<int> done = 0;
  const std::function<void()> count = [&] { ++done; };
  const std::function<void()> fail = [] { throw std::runtime_error("a task's"); };
  EXPECT_THROW(RunAtOnce(loops, {count, fail, count}), std::runtime_error);
  EXPECT_EQ(done, 2);
  EXPECT_THROW(RunAtOnce(loops, {fail, count}), std::runtime_error);
  EXPECT_EQ(done, 3);
}

}  // namespace
}  // namespace gcsflux::internal
