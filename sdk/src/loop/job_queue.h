#pragma once

#include <functional>
#include <list>
#include <memory>
#include <utility>

#include "base/process/mutex.h"
#include "loop/request_slots.h"

namespace gcsflux::internal {

/// Jobs that run in RequestSlots in order, as many at a time as there are slots. Thread-safe.
class JobQueue : public TaskSource, public std::enable_shared_from_this<JobQueue> {
 public:
  /// `slots` must live until Close() has returned.
  explicit JobQueue(RequestSlots& slots) : slots_(slots) {}

  /// Runs the job, which does not throw, unless Close() comes first. If this throws, because there is no memory, the
  /// job never runs.
  void Post(std::function<void()> job) {
    // Under the lock, because the slots may be destroyed after Close().
    const MutexLock lock(mutex_);
    if (is_closed_) return;
    jobs_.push_back(std::move(job));
    try {
      slots_.Offer(shared_from_this());
    } catch (...) {
      jobs_.pop_back();
      throw;
    }
  }

  /// Drops the jobs that have not begun.
  void Close() {
    std::list<std::function<void()>> dropped;
    const MutexLock lock(mutex_);
    is_closed_ = true;
    dropped.swap(jobs_);
  }

  std::function<void()> Take() override {
    const MutexLock lock(mutex_);
    if (jobs_.empty()) return {};
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
  }

 private:
  RequestSlots& slots_;
  Mutex mutex_;
  std::list<std::function<void()>> jobs_ GUARDED_BY(mutex_);  // Not a deque: an empty one allocates.
  bool is_closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace gcsflux::internal
