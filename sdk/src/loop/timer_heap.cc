#include "loop/timer_heap.h"

#include <utility>

namespace gcsflux::internal {

void TimerHeap::Set(LoopTimer& timer, TimePoint due) {
  if (timer.index_ == LoopTimer::kNowhere) {
    entries_.push_back({due, &timer});
    timer.index_ = entries_.size() - 1;
  }
  entries_[timer.index_].due = due;
  Sift(timer.index_);
}

void TimerHeap::Remove(LoopTimer& timer) {
  if (timer.index_ == LoopTimer::kNowhere) return;
  const std::size_t index = std::exchange(timer.index_, LoopTimer::kNowhere);
  const Entry last = entries_.back();
  entries_.pop_back();
  if (last.timer == &timer) return;
  Place(last, index);
  Sift(index);
}

std::optional<TimerHeap::TimePoint> TimerHeap::DueOf(const LoopTimer& timer) const {
  if (timer.index_ == LoopTimer::kNowhere) return std::nullopt;
  return entries_[timer.index_].due;
}

std::optional<TimerHeap::TimePoint> TimerHeap::NextDue() const {
  if (entries_.empty()) return std::nullopt;
  return entries_.front().due;
}

LoopTimer* TimerHeap::TakeDue(TimePoint now) {
  if (entries_.empty() || entries_.front().due > now) return nullptr;
  LoopTimer* const first = entries_.front().timer;
  Remove(*first);
  return first;
}

void TimerHeap::Place(const Entry& entry, std::size_t index) {
  entries_[index] = entry;
  entry.timer->index_ = index;
}

// Moves it up or down to the place of its time.
void TimerHeap::Sift(std::size_t index) {
  const Entry entry = entries_[index];
  std::size_t at = index;
  while (at > 0) {
    const std::size_t parent = (at - 1) / 2;
    if (entries_[parent].due <= entry.due) break;
    Place(entries_[parent], at);
    at = parent;
  }
  while (true) {
    std::size_t child = 2 * at + 1;
    if (child >= entries_.size()) break;
    if (child + 1 < entries_.size() && entries_[child + 1].due < entries_[child].due) ++child;
    if (entry.due <= entries_[child].due) break;
    Place(entries_[child], at);
    at = child;
  }
  if (at != index) Place(entry, at);
}

}  // namespace gcsflux::internal
