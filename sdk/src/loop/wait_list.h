#pragma once

#include <algorithm>
#include <stop_token>
#include <vector>

#include "base/leaf_stop_callback.h"
#include "base/process/mutex.h"
#include "loop/pause.h"

namespace gcsflux::internal {

/// A condition that fibers and threads can wait for, like std::condition_variable_any for threads. Thread-safe.
class WaitList {
 public:
  /// Waits until `is_met()`, which is called under the lock, or until `stop`. Returns the last value of `is_met()`.
  template <class Lock, class Predicate>
  bool Wait(Lock& lock, const std::stop_token& stop, const Predicate& is_met) NO_THREAD_SAFETY_ANALYSIS {  // Any lock.
    if (is_met()) return true;
    Pause pause;
    const LeafStopCallback on_stop(stop, [&pause] { pause.Wake(); });
    while (!is_met() && !stop.stop_requested()) {
      Add(pause);
      lock.unlock();
      pause.Wait();
      Remove(pause);
      lock.lock();
    }
    return is_met();
  }

  /// Makes all waiters check again.
  void NotifyAll() {
    const MutexLock lock(mutex_);
    for (Pause* const pause : waiting_) pause->Wake();
  }

 private:
  void Add(Pause& pause) {
    const MutexLock lock(mutex_);
    waiting_.push_back(&pause);
  }
  void Remove(Pause& pause) {
    const MutexLock lock(mutex_);
    std::erase(waiting_, &pause);
  }

  LeafMutex mutex_;
  std::vector<Pause*> waiting_ GUARDED_BY(mutex_);
};

}  // namespace gcsflux::internal
