#include "loop/event_loops.h"

#include <utility>

namespace gcsflux::internal {

EventLoops::EventLoops(std::size_t count) : count_(count), loops_(count) { static_cast<void>(StartMissing()); }

std::optional<Error> EventLoops::StartMissing() {
  if (size() == count_) return std::nullopt;
  const MutexLock lock(mutex_);
  while (size() < count_) {
    auto loop = EventLoop::Start(user_code_threads_);
    if (!loop) return loop.error();
    loops_[size()] = *std::move(loop);
    size_.fetch_add(1, std::memory_order_release);
  }
  return std::nullopt;
}

void EventLoops::Spawn(std::function<void()> task) {
  // Loops with equal numbers are used in turn.
  const std::size_t count = size();
  const std::size_t first = next_.fetch_add(1, std::memory_order_relaxed) % count;
  EventLoop* least = loops_[first].get();
  for (std::size_t i = 1; i < count; ++i) {
    EventLoop& loop = *loops_[(first + i) % count];
    if (loop.tasks() < least->tasks()) least = &loop;
  }
  least->Spawn(std::move(task));
}

}  // namespace gcsflux::internal
