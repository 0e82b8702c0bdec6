#include "loop/pause.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "loop/event_loops.h"

namespace gcsflux::internal {
namespace {

using namespace std::chrono_literals;

// On a thread and on a fiber.
class PauseTest : public ::testing::TestWithParam<bool> {
 protected:
  void Run(const std::function<void()>& body) {
    if (!GetParam()) return body();
    std::promise<void> done;
    loops_.Spawn([&] {
      body();
      done.set_value();
    });
    done.get_future().wait();
  }

  EventLoops loops_{1};
};
INSTANTIATE_TEST_SUITE_P(Waiters, PauseTest, ::testing::Bool(),
                         [](const auto& is_fiber) { return is_fiber.param ? "Fiber" : "Thread"; });

TEST_P(PauseTest, RemembersAnEarlyWakeUp) {
  Run([] {
    Pause pause;
    pause.Wake();
    EXPECT_TRUE(pause.WaitUntil(Pause::TimePoint::max()));
  });
}

TEST_P(PauseTest, EndsAtItsTime) {
  Run([] {
    Pause pause;
    EXPECT_FALSE(pause.WaitFor(1ns));
    EXPECT_FALSE(pause.WaitFor(-1s));
    EXPECT_FALSE(pause.WaitFor(2ms));
  });
}

TEST_P(PauseTest, IsWokenByAnotherThread) {
  Run([] {
    for (int round = 0; round < 1000; ++round) {
      Pause pause;
      const std::jthread waker([&pause] { pause.Wake(); });
      pause.Wait();
    }
  });
}

TEST_P(PauseTest, WaitsAgainAfterItWasWoken) {
  Run([] {
    Pause pause;
    pause.Wake();
    pause.Wake();
    EXPECT_TRUE(pause.WaitFor(1h));
    EXPECT_FALSE(pause.WaitFor(1ms));
  });
}

TEST(Pause, EndsEarlierForAnExpeditedFiber) {
  EventLoops loops(1);
  std::promise<bool> woken;
  loops.Spawn([&] {
    Pause pause;
    EventLoop& loop = *EventLoop::Current();
    loop.Spawn([&pause] { pause.Expedite(std::chrono::steady_clock::now()); });
    woken.set_value(pause.WaitFor(1h));
  });
  EXPECT_FALSE(woken.get_future().get());
}

// Two fibers of one loop wake each other, and a third of another loop both.
TEST(Pause, LetsFibersWakeEachOther) {
  EventLoops loops(2);
  constexpr int kRounds = 10'000;
  std::atomic<int> turns = 0;
  std::promise<void> done;
  std::atomic<Pause*> first = nullptr;
  loops.Spawn([&] {
    Pause mine;
    first = &mine;
    for (int i = 0; i < kRounds; ++i) {
      mine.Wait();
      ++turns;
    }
    done.set_value();
  });
  loops.Spawn([&] {
    Pause mine;
    while (first == nullptr) mine.WaitFor(100us);
    for (int seen = 0; seen < kRounds; ++seen) {
      first.load()->Wake();
      while (turns == seen) mine.WaitFor(1us);
    }
  });
  done.get_future().wait();
  EXPECT_EQ(turns, kRounds);
}

}  // namespace
}  // namespace gcsflux::internal
