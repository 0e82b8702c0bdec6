#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <thread>

#include "base/process/mutex.h"
#include "loop/request_slots.h"

namespace gcsflux::internal {

/// Small tasks that become due now or later. A Downloader's request slots run them in turn with its downloads, so that
/// they use no additional connections. If no thread can be started to wait for the time, tasks are late: they run when
/// the next one is posted, or at the end. Thread-safe.
class DueTasks : public TaskSource, public std::enable_shared_from_this<DueTasks> {
 public:
  using Clock = std::chrono::steady_clock;
  using Task = std::function<void(const std::stop_token&)>;

  explicit DueTasks(std::weak_ptr<RequestSlots> slots) : slots_(std::move(slots)) {}

  void Post(Clock::time_point due, Task task);
  /// Waits until no task is left, including tasks that tasks post. After `patience`, running tasks are asked to stop,
  /// and others are dropped. No task is accepted afterwards. Call it while the threads still run.
  void Drain(std::chrono::milliseconds patience);

  std::function<void()> Take() override;

 private:
  void Run(const Task& task);
  void Offer();
  void AwaitOver(MutexLock<Mutex>& lock, std::chrono::milliseconds patience) REQUIRES(mutex_, lock);
  void Alarm(const std::stop_token& stop);

  const std::weak_ptr<RequestSlots> slots_;
  std::stop_source stop_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::multimap<Clock::time_point, Task> waiting_ GUARDED_BY(mutex_);
  std::size_t running_ GUARDED_BY(mutex_) = 0;
  bool is_closed_ GUARDED_BY(mutex_) = false;
  std::jthread alarm_;  // Tells the threads when a task becomes due; starts with the first such task.
};

}  // namespace gcsflux::internal
