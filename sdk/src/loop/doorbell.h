#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

namespace gcsflux::internal {

/// Wakes threads that wait for what comes from event loops. A loop brings several things in one turn: the threads are
/// woken once for all of them, at the turn's end. A wake-up for each one took as long as the rest of a small read.
class Doorbell {
 public:
  /// Waits until `is_met()`, which is called under the lock. What it looks at is changed under that lock, and Ring()
  /// is called afterwards, with or without it. By threads, not by fibers.
  template <class Predicate>
  void Wait(std::unique_lock<std::mutex>& lock, const Predicate& is_met) {
    rung_->wait(lock, is_met);
  }
  void Wait(std::unique_lock<std::mutex>& lock) { rung_->wait(lock); }

  /// Has all who wait look again: now, or at the end of the turn of the loop that calls this.
  void Ring();

 private:
  const std::shared_ptr<std::condition_variable> rung_ = std::make_shared<std::condition_variable>();
};

}  // namespace gcsflux::internal
