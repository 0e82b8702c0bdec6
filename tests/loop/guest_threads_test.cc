#include "loop/guest_threads.h"

#include <gtest/gtest.h>

#include <future>
#include <semaphore>
#include <thread>

#include "loop/event_loops.h"

namespace gcsflux::internal {
namespace {

TEST(RunGuest, RunsItHereOnAThread) {
  std::thread::id where;
  RunGuest([&] { where = std::this_thread::get_id(); });
  EXPECT_EQ(where, std::this_thread::get_id());
}

// The loop goes on with other fibers while a guest blocks.
TEST(RunGuest, RunsItBesideTheLoop) {
  EventLoops loops(1);
  std::binary_semaphore let_go(0);
  std::promise<std::thread::id> loop, guest;
  loops.Spawn([&] {
    loop.set_value(std::this_thread::get_id());
    RunGuest([&] {
      let_go.acquire();
      guest.set_value(std::this_thread::get_id());
    });
  });
  loops.Spawn([&] { let_go.release(); });
  EXPECT_NE(guest.get_future().get(), loop.get_future().get());
}

TEST(RunGuest, ReturnsWhenTheGuestHas) {
  EventLoops loops(2);
  std::promise<int> seen;
  loops.Spawn([&] {
    int value = 0;
    for (int i = 0; i < 1000; ++i) RunGuest([&] { ++value; });
    seen.set_value(value);
  });
  EXPECT_EQ(seen.get_future().get(), 1000);
}

}  // namespace
}  // namespace gcsflux::internal
