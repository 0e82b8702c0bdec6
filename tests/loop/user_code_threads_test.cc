#include "loop/user_code_threads.h"

#include <gtest/gtest.h>

#include <future>
#include <semaphore>
#include <thread>

#include "loop/event_loops.h"

namespace gcsflux::internal {
namespace {

TEST(RunUserCode, RunsItHereOnAThread) {
  std::thread::id where;
  RunUserCode([&] { where = std::this_thread::get_id(); });
  EXPECT_EQ(where, std::this_thread::get_id());
}

// The loop goes on with other fibers while user code blocks.
TEST(RunUserCode, RunsItBesideTheLoop) {
  EventLoops loops(1);
  std::binary_semaphore let_go(0);
  std::promise<std::thread::id> loop, user_code;
  loops.Spawn([&] {
    loop.set_value(std::this_thread::get_id());
    RunUserCode([&] {
      let_go.acquire();
      user_code.set_value(std::this_thread::get_id());
    });
  });
  loops.Spawn([&] { let_go.release(); });
  EXPECT_NE(user_code.get_future().get(), loop.get_future().get());
}

TEST(RunUserCode, ReturnsWhenTheUserCodeHas) {
  EventLoops loops(2);
  std::promise<int> seen;
  loops.Spawn([&] {
    int value = 0;
    for (int i = 0; i < 1000; ++i) RunUserCode([&] { ++value; });
    seen.set_value(value);
  });
  EXPECT_EQ(seen.get_future().get(), 1000);
}

}  // namespace
}  // namespace gcsflux::internal
