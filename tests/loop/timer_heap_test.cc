#include "loop/timer_heap.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace gcsflux::internal {
namespace {

using std::chrono::nanoseconds;

class Timer final : public LoopTimer {
 public:
  void OnTime() override {}
};

TimerHeap::TimePoint At(int time) { return TimerHeap::TimePoint(nanoseconds(time)); }

TEST(TimerHeap, ReturnsOnlyDueTimers) {
  TimerHeap heap;
  Timer early, late;
  heap.Set(late, At(20));
  heap.Set(early, At(10));
  EXPECT_EQ(heap.NextDue(), At(10));
  EXPECT_EQ(heap.TakeDue(At(9)), nullptr);
  EXPECT_EQ(heap.TakeDue(At(10)), &early);
  EXPECT_EQ(heap.TakeDue(At(19)), nullptr);
  EXPECT_EQ(heap.DueOf(late), At(20));
  EXPECT_EQ(heap.DueOf(early), std::nullopt);
}

// Against an ordered map: set, change, remove and take, in any order.
TEST(TimerHeap, MatchesAnOrderedMap) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto below = [&](int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random); };
    TimerHeap heap;
    std::vector<std::unique_ptr<Timer>> timers;
    timers.reserve(50);
    for (int i = 0; i < 50; ++i) timers.push_back(std::make_unique<Timer>());
    std::map<LoopTimer*, TimerHeap::TimePoint> model;
    for (int step = 0; step < 2000; ++step) {
      Timer& timer = *timers[static_cast<std::size_t>(below(50))];
      const int action = below(4);
      if (action <= 1) {
        const auto due = At(below(100));
        heap.Set(timer, due);
        model[&timer] = due;
      } else if (action == 2) {
        heap.Remove(timer);
        model.erase(&timer);
      } else {
        const auto now = At(below(100));
        auto first = model.end();
        for (auto it = model.begin(); it != model.end(); ++it) {
          if (first == model.end() || it->second < first->second) first = it;
        }
        const bool is_due = first != model.end() && first->second <= now;
        LoopTimer* const taken = heap.TakeDue(now);
        ASSERT_EQ(taken != nullptr, is_due);
        if (!is_due) continue;
        ASSERT_EQ(model.at(taken), first->second);
        model.erase(taken);
      }
      ASSERT_EQ(heap.NextDue().has_value(), !model.empty());
    }
  }
}

}  // namespace
}  // namespace gcsflux::internal
