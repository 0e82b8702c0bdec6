#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gcsflux/result.h"
#include "loop/event_loop.h"
#include "loop/guest_threads.h"

namespace gcsflux::internal {

/// The event loops of one client. Thread-safe; destruction waits until all tasks are over.
class EventLoops {
 public:
  /// Where the system gives fewer, those do the work.
  explicit EventLoops(std::size_t count);

  [[nodiscard]] std::size_t size() const { return loops_.size(); }
  /// Why there are fewer than were asked for.
  [[nodiscard]] const std::optional<Error>& shortage() const { return shortage_; }

  /// Runs the task, which throws nothing, on the loop that has the fewest. Not where size() is 0.
  void Spawn(std::function<void()> task);

 private:
  GuestThreads guests_;
  std::optional<Error> shortage_;
  std::atomic<std::size_t> next_ = 0;
  std::vector<std::unique_ptr<EventLoop>> loops_;  // Last: they end before what they use.
};

}  // namespace gcsflux::internal
