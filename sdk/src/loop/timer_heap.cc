#include "loop/timer_heap.h"

namespace gcsflux::internal {

void TimerHeap::Set(LoopTimer& timer, TimePoint due) {
  timer.due_ = due;
  if (timer.index_ == LoopTimer::kNowhere) {
    timer.index_ = timers_.size();
    timers_.push_back(&timer);
  }
  Sift(timer);
}

void TimerHeap::Remove(LoopTimer& timer) {
  if (timer.index_ == LoopTimer::kNowhere) return;
  LoopTimer& last = *timers_.back();
  timers_.pop_back();
  if (&last != &timer) {
    Place(last, timer.index_);
    Sift(last);
  }
  timer.index_ = LoopTimer::kNowhere;
}

std::optional<TimerHeap::TimePoint> TimerHeap::DueOf(const LoopTimer& timer) const {
  if (timer.index_ == LoopTimer::kNowhere) return std::nullopt;
  return timer.due_;
}

std::optional<TimerHeap::TimePoint> TimerHeap::NextDue() const {
  if (timers_.empty()) return std::nullopt;
  return timers_.front()->due_;
}

LoopTimer* TimerHeap::TakeDue(TimePoint now) {
  if (timers_.empty() || timers_.front()->due_ > now) return nullptr;
  LoopTimer* const first = timers_.front();
  Remove(*first);
  return first;
}

void TimerHeap::Place(LoopTimer& timer, std::size_t index) {
  timers_[index] = &timer;
  timer.index_ = index;
}

// Moves it up or down to the place of its time.
void TimerHeap::Sift(LoopTimer& timer) {
  std::size_t at = timer.index_;
  while (at > 0) {
    const std::size_t parent = (at - 1) / 2;
    if (timers_[parent]->due_ <= timer.due_) break;
    Place(*timers_[parent], at);
    at = parent;
  }
  while (true) {
    std::size_t child = 2 * at + 1;
    if (child >= timers_.size()) break;
    if (child + 1 < timers_.size() && timers_[child + 1]->due_ < timers_[child]->due_) ++child;
    if (timer.due_ <= timers_[child]->due_) break;
    Place(*timers_[child], at);
    at = child;
  }
  Place(timer, at);
}

}  // namespace gcsflux::internal
