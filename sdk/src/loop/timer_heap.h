#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace gcsflux::internal {

/// What is to happen at a time. Stays where it is while a heap has it.
class LoopTimer {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  virtual void OnTime() = 0;

 protected:
  LoopTimer() = default;
  LoopTimer(const LoopTimer&) = delete;
  LoopTimer& operator=(const LoopTimer&) = delete;
  ~LoopTimer() = default;

 private:
  friend class TimerHeap;
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  TimePoint due_ = {};
  std::size_t index_ = kNowhere;
};

/// The timers of one loop, by when they are due. A change costs O(log n) and no memory. For one thread at a time.
class TimerHeap {
 public:
  using TimePoint = LoopTimer::TimePoint;

  /// Adds the timer, or changes its time.
  void Set(LoopTimer& timer, TimePoint due);
  /// Has no effect where the heap does not have it.
  void Remove(LoopTimer& timer);
  /// When it is due; nothing where the heap does not have it.
  [[nodiscard]] std::optional<TimePoint> DueOf(const LoopTimer& timer) const;
  /// When the first one is due; nothing where there is none.
  [[nodiscard]] std::optional<TimePoint> NextDue() const;
  /// Takes out the first timer that is due at `now`; null where none is.
  LoopTimer* TakeDue(TimePoint now);

 private:
  void Place(LoopTimer& timer, std::size_t index);
  void Sift(LoopTimer& timer);

  std::vector<LoopTimer*> timers_;  // The children of i are 2 i + 1 and 2 i + 2, and not due before it.
};

}  // namespace gcsflux::internal
