#include "loop/user_code_threads.h"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <new>
#include <semaphore>
#include <thread>

#include "loop/event_loops.h"

namespace gcsflux::internal {
namespace {

TEST(RunUserCode, RunsInPlaceOnAThread) {
  std::thread::id where;
  RunUserCode(UserCode::kIsTold, [&] { where = std::this_thread::get_id(); });
  EXPECT_EQ(where, std::this_thread::get_id());
}

// The loop continues with other fibers while user code blocks.
TEST(RunUserCode, RunsBesideTheLoop) {
  EventLoops loops(1);
  std::binary_semaphore let_go(0);
  std::promise<std::thread::id> loop, user_code;
  loops.Spawn([&] {
    loop.set_value(std::this_thread::get_id());
    RunUserCode(UserCode::kIsTold, [&] {
      let_go.acquire();
      user_code.set_value(std::this_thread::get_id());
    });
  });
  loops.Spawn([&] { let_go.release(); });
  EXPECT_NE(user_code.get_future().get(), loop.get_future().get());
}

TEST(RunUserCode, ReturnsAfterTheUserCode) {
  EventLoops loops(2);
  std::promise<int> seen;
  loops.Spawn([&] {
    int value = 0;
    for (int i = 0; i < 1000; ++i) RunUserCode(UserCode::kIsTold, [&] { ++value; });
    seen.set_value(value);
  });
  EXPECT_EQ(seen.get_future().get(), 1000);
}

// Allocators may wait until the consumer frees memory, and the consumer may wait for an earlier event of a listener.
TEST(RunUserCode, RunsListenersWhileAllAllocatorsWait) {
  constexpr int kAllocators = 20;
  EventLoops loops(1);
  std::counting_semaphore<> freed(0);
  std::latch done(kAllocators + 1);
  for (int i = 0; i < kAllocators; ++i) {
    loops.Spawn([&] {
      RunUserCode(UserCode::kMayWait, [&] { freed.acquire(); });
      done.count_down();
    });
  }
  loops.Spawn([&] {
    RunUserCode(UserCode::kIsTold, [&] { freed.release(kAllocators); });
    done.count_down();
  });
  done.wait();
}

TEST(RunUserCode, RethrowsExceptionsOfUserCode) {
  EventLoops loops(1);
  std::promise<bool> caught;
  loops.Spawn([&] {
    try {
      RunUserCode(UserCode::kMayWait, [] { throw std::bad_alloc(); });
    } catch (const std::bad_alloc&) {
      return caught.set_value(true);
    }
    caught.set_value(false);
  });
  EXPECT_TRUE(caught.get_future().get());
}

}  // namespace
}  // namespace gcsflux::internal
