#include "loop/wait_list.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <stop_token>

#include "loop/event_loops.h"

namespace gcsflux::internal {
namespace {

TEST(WaitList, WakesFibersAndThreadsOnItsCondition) {
  EventLoops loops(2);
  std::mutex mutex;
  WaitList changed;
  int value = 0;  // Guarded by mutex, like the members below.
  int done = 0;
  for (int i = 0; i < 100; ++i) {
    loops.Spawn([&] {
      std::unique_lock lock(mutex);
      EXPECT_TRUE(changed.Wait(lock, {}, [&] { return value == 1; }));
      ++done;
      changed.NotifyAll();
    });
  }
  std::unique_lock lock(mutex);
  value = 1;
  changed.NotifyAll();
  EXPECT_TRUE(changed.Wait(lock, {}, [&] { return done == 100; }));
}

TEST(WaitList, StopsOnRequest) {
  EventLoops loops(1);
  std::mutex mutex;
  WaitList changed;
  std::stop_source stop;
  std::atomic<int> ended = 0;
  for (int i = 0; i < 10; ++i) {
    loops.Spawn([&] {
      std::unique_lock lock(mutex);
      EXPECT_FALSE(changed.Wait(lock, stop.get_token(), [] { return false; }));
      ++ended;
      changed.NotifyAll();
    });
  }
  stop.request_stop();
  std::unique_lock lock(mutex);
  EXPECT_TRUE(changed.Wait(lock, {}, [&] { return ended == 10; }));
  EXPECT_FALSE(changed.Wait(lock, stop.get_token(), [] { return false; }));
}

}  // namespace
}  // namespace gcsflux::internal
