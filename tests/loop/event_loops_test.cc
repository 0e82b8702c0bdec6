#include "loop/event_loops.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "loop/pause.h"

namespace gcsflux::internal {
namespace {

using namespace std::chrono_literals;

TEST(EventLoops, WaitForTheirTasks) {
  std::atomic<int> done = 0;
  {
    EventLoops loops(3);
    for (int i = 0; i < 1000; ++i) {
      loops.Spawn([&] {
        Pause pause;
        pause.WaitFor(1ms);
        ++done;
      });
    }
  }
  EXPECT_EQ(done, 1000);
}

TEST(EventLoops, SpreadTasksOverAllLoops) {
  std::mutex mutex;
  std::set<std::thread::id> threads;  // Guarded by mutex.
  {
    EventLoops loops(3);
    for (int i = 0; i < 30; ++i) {
      loops.Spawn([&] {
        Pause pause;
        pause.WaitFor(1ms);
        const std::scoped_lock lock(mutex);
        threads.insert(std::this_thread::get_id());
      });
    }
  }
  EXPECT_EQ(threads.size(), 3U);
}

TEST(EventLoops, RunTasksPostedByTasks) {
  std::atomic<int> done = 0;
  {
    EventLoops loops(2);
    loops.Spawn([&] {
      for (int i = 0; i < 10; ++i) loops.Spawn([&] { ++done; });
    });
  }
  EXPECT_EQ(done, 10);
}

TEST(EventLoops, ReportAMissingDescriptor) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  EventLoops loops(2);
  const auto shortage = loops.StartMissing();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(loops.size(), 0U);
  ASSERT_TRUE(shortage);
  EXPECT_NE(shortage->message.find("ulimit -n"), std::string::npos) << shortage->message;
  EXPECT_FALSE(loops.StartMissing());
  EXPECT_EQ(loops.size(), 2U);
}

}  // namespace
}  // namespace gcsflux::internal
