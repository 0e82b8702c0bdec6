#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/process/mutex.h"
#include "gcsflux/result.h"
#include "loop/fiber.h"
#include "loop/timer_heap.h"

namespace gcsflux::internal {

class UserCodeThreads;

/// A descriptor that a loop watches. It may be destroyed after EventLoop::Forget().
class Watched {
 public:
  explicit Watched(int descriptor) : descriptor_(descriptor) {}
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// `events` are epoll's flags.
  virtual void OnEvents(std::uint32_t events) = 0;

 protected:
  ~Watched() = default;

 private:
  friend class EventLoop;
  const int descriptor_;
  std::uint32_t events_ = 0;  // that epoll reports; 0: the descriptor is not in epoll
};

/// One thread that runs many fibers. One epoll waits for the descriptors, times and wake-ups of all of them. A fiber is
/// resumed when its wait is over. Code on the loop must not block; UserCodeThreads run user code. It costs nothing
/// while there is no work.
class EventLoop {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// Returns kLocalIo if the system gives no thread or no descriptor. `user_code_threads` outlives it.
  static Result<std::unique_ptr<EventLoop>> Start(UserCodeThreads& user_code_threads);
  /// Waits until its fibers have ended.
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// Runs the task, which does not throw, on a fiber. If the system has no memory for a new stack, the task waits for
  /// the first free one. Thread-safe.
  void Spawn(std::function<void()> task);
  /// Tasks that have not ended. Thread-safe.
  [[nodiscard]] std::size_t tasks() const { return tasks_.load(std::memory_order_relaxed); }

  /// The loop of this thread. Null on every other thread.
  static EventLoop* Current();

  /// Marks a suspended fiber of this loop for resumption. Thread-safe.
  void MakeReady(Fiber& fiber);

  // The following members are for the loop's own thread.
  [[nodiscard]] TimerHeap& timers() { return timers_; }
  [[nodiscard]] UserCodeThreads& user_code_threads() const { return user_code_threads_; }
  /// Notifies all waiters, once in this turn.
  void NotifyAtEndOfTurn(const std::shared_ptr<std::condition_variable>& waited_for);
  /// Makes epoll report these events of the descriptor. Returns false if the system refuses.
  bool Watch(Watched& watched, std::uint32_t events);
  /// Stops the reports of its events. `is_closed`: the descriptor was closed, so that epoll has removed it.
  void Forget(Watched& watched, bool is_closed);

 private:
  explicit EventLoop(UserCodeThreads& user_code_threads) : user_code_threads_(user_code_threads) {}
  Result<void> Open();
  void Run();
  bool TakePosted();
  void BeginTasks();
  std::unique_ptr<Fiber> MakeFiber();
  std::optional<FiberStack> TakeStack();
  void ResumeReady();
  void Resume(Fiber& fiber);
  std::optional<TimePoint> NextTurn();
  void AwaitEvents();
  void RunTimers();
  void Notify();
  void DrainWakeUps() const;

  UserCodeThreads& user_code_threads_;
  int epoll_ = -1;
  int wake_up_ = -1;
  std::atomic<std::size_t> tasks_ = 0;

  Mutex mutex_;
  std::vector<std::function<void()>> posted_tasks_ GUARDED_BY(mutex_);
  std::vector<Fiber*> posted_fibers_ GUARDED_BY(mutex_);
  bool is_asleep_ GUARDED_BY(mutex_) = false;
  bool is_ending_ GUARDED_BY(mutex_) = false;

  // Used by the loop's thread:
  TimerHeap timers_;
  std::vector<Fiber*> ready_;
  std::vector<Fiber*> running_;                // The fibers of ready_ that this turn resumes.
  std::vector<std::function<void()>> new_;     // Taken from posted_tasks_.
  std::deque<std::function<void()>> waiting_;  // Tasks that have no fiber yet.
  std::vector<FiberStack> free_stacks_;
  std::vector<std::shared_ptr<std::condition_variable>> to_notify_;
  std::vector<Watched*>
      reported_;  // Reported by the last epoll_wait() and not handled yet; null if it was forgotten since.

  std::jthread thread_;  // Last.
};

}  // namespace gcsflux::internal
