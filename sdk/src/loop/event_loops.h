#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/process/mutex.h"
#include "gcsflux/result.h"
#include "loop/event_loop.h"
#include "loop/user_code_threads.h"

namespace gcsflux::internal {

/// The event loops of one client. Thread-safe; the destructor waits until all tasks have ended.
class EventLoops {
 public:
  /// If the system gives fewer threads, those do the work.
  explicit EventLoops(std::size_t count);

  /// Starts the missing loops, if the system now gives more threads. Returns why some are still missing.
  std::optional<Error> StartMissing();
  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_acquire); }

  /// Runs the task, which does not throw, on the loop with the fewest tasks. Do not call it if size() is 0.
  void Spawn(std::function<void()> task);

 private:
  const std::size_t count_;
  UserCodeThreads user_code_threads_;
  std::atomic<std::size_t> next_ = 0;
  Mutex mutex_;  // One thread at a time starts loops.
  std::atomic<std::size_t> size_ = 0;
  // Of `count_` places the first `size_` are set, and do not change. Last: they end before the members that they use.
  std::vector<std::unique_ptr<EventLoop>> loops_;
};

}  // namespace gcsflux::internal
