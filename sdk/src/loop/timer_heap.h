#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace gcsflux::internal {

/// An event at a time. Not movable while it is in a heap.
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

  std::size_t index_ = kNowhere;
};

/// The timers of one loop, ordered by time. A change costs O(log n) and no memory. For one thread at a time.
class TimerHeap {
 public:
  using TimePoint = LoopTimer::TimePoint;

  /// Adds the timer, or changes its time.
  void Set(LoopTimer& timer, TimePoint due);
  /// Has no effect if the timer is not in the heap.
  void Remove(LoopTimer& timer);
  /// When it is due. Nothing if it is not in the heap.
  [[nodiscard]] std::optional<TimePoint> DueOf(const LoopTimer& timer) const;
  /// When the first one is due. Nothing if there is none.
  [[nodiscard]] std::optional<TimePoint> NextDue() const;
  /// Removes the first timer that is due at `now`, and returns it. Null if there is none.
  LoopTimer* TakeDue(TimePoint now);

 private:
  // Times lie beside each other: a comparison does not touch the timers, which are in the stacks of their fibers.
  struct Entry {
    TimePoint due;
    LoopTimer* timer;
  };
  void Place(const Entry& entry, std::size_t index);
  void Sift(std::size_t index);

  std::vector<Entry> entries_;  // The children of i are 2 i + 1 and 2 i + 2. They are not due before i.
};

}  // namespace gcsflux::internal
