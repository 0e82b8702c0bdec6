#include "loop/event_loops.h"

#include <utility>

namespace gcsflux::internal {

EventLoops::EventLoops(std::size_t count) {
  while (loops_.size() < count) {
    auto loop = EventLoop::Start(guests_);
    if (!loop) {
      shortage_ = loop.error();
      return;
    }
    loops_.push_back(*std::move(loop));
  }
}

void EventLoops::Spawn(std::function<void()> task) {
  // Of loops with the same number, each in its turn.
  const std::size_t first = next_.fetch_add(1, std::memory_order_relaxed) % loops_.size();
  EventLoop* least = loops_[first].get();
  for (std::size_t i = 1; i < loops_.size(); ++i) {
    EventLoop& loop = *loops_[(first + i) % loops_.size()];
    if (loop.tasks() < least->tasks()) least = &loop;
  }
  least->Spawn(std::move(task));
}

}  // namespace gcsflux::internal
