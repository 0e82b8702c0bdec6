#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <optional>

#include "base/process/mutex.h"
#include "loop/event_loops.h"
#include "loop/task_source.h"

namespace gcsflux::internal {

/// Runs the tasks of several sources on event loops: a limited number at the same time, one of each source in turn.
/// A task is a fiber, which makes one request after the other. Thread-safe; the destructor waits for running tasks.
class RequestSlots {
 public:
  /// `loops` must outlive it.
  RequestSlots(EventLoops& loops, std::size_t limit);
  ~RequestSlots();
  RequestSlots(const RequestSlots&) = delete;
  RequestSlots& operator=(const RequestSlots&) = delete;

  /// The most tasks that run at the same time: the requested number, or the number of connections that the process can
  /// still open.
  [[nodiscard]] std::size_t limit() const;
  /// Tasks that run now.
  [[nodiscard]] std::size_t busy() const;
  /// Why there are fewer than requested, or none at all.
  [[nodiscard]] std::optional<Error> shortage() const;
  /// False if there is no loop.
  [[nodiscard]] bool is_usable() const { return loops_.size() > 0; }

  /// Sets the number of tasks that run at the same time. Tasks above the limit finish their work. A task may call it.
  void SetLimit(std::size_t limit);

  /// The source may have work: it is asked until it has none. Call it each time the source has received work.
  void Offer(const std::shared_ptr<TaskSource>& source);

 private:
  void Serve();
  void RunOne(MutexLock<Mutex>& lock, TaskSourceQueue::Turn turn) REQUIRES(mutex_, lock);
  void StartAnother();
  [[nodiscard]] bool HasCapacity() const REQUIRES(mutex_) {
    return !queue_.is_empty() && busy_ < limit_ && is_usable();
  }

  EventLoops& loops_;
  mutable Mutex mutex_;
  std::condition_variable idle_;
  TaskSourceQueue queue_ GUARDED_BY(mutex_);
  std::size_t limit_ GUARDED_BY(mutex_) = 1;
  std::size_t busy_ GUARDED_BY(mutex_) = 0;
  std::optional<Error> shortage_ GUARDED_BY(mutex_);
};

}  // namespace gcsflux::internal
