#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "gcsflux/result.h"
#include "loop/event_loop.h"
#include "loop/user_code_threads.h"

namespace gcsflux::internal {

/// The event loops of one client. Thread-safe; destruction waits until all tasks are over.
class EventLoops {
 public:
  /// Where the system gives fewer, those do the work.
  explicit EventLoops(std::size_t count);

  /// Starts what is missing, where the system gives more by now. Returns why some are missing still.
  std::optional<Error> StartMissing();
  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_acquire); }

  /// Runs the task, which throws nothing, on the loop that has the fewest. Not where size() is 0.
  void Spawn(std::function<void()> task);

 private:
  const std::size_t count_;
  UserCodeThreads user_code_threads_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  // One thread at a time starts loops.
  std::atomic<std::size_t> size_ = 0;
  // Of `count_` places the first `size_` are set, and stay as they are. Last: they end before what they use.
  std::vector<std::unique_ptr<EventLoop>> loops_;
};

}  // namespace gcsflux::internal
