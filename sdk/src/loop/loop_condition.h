#pragma once

#include <condition_variable>
#include <memory>

#include "base/process/mutex.h"

namespace gcsflux::internal {

/// Wakes threads that wait for results of event loops. A loop brings several results in one turn. It wakes the threads
/// once for all of them, at the end of the turn. A wake-up for each result took as long as the rest of a small read.
class LoopCondition {
 public:
  /// Waits until `is_met()`, which is called under the lock. Change what it reads under that lock, and call NotifyAll()
  /// afterwards, with or without the lock. For threads, not for fibers.
  template <class Predicate>
  void Wait(MutexLock<Mutex>& lock, const Predicate& is_met) {
    notified_->wait(lock, is_met);
  }
  void Wait(MutexLock<Mutex>& lock) { notified_->wait(lock); }

  /// Makes all waiters check again: now, or if a loop calls it, at the end of the loop's turn.
  void NotifyAll();

 private:
  const std::shared_ptr<std::condition_variable> notified_ = std::make_shared<std::condition_variable>();
};

}  // namespace gcsflux::internal
