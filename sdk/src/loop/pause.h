#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "base/fork.h"
#include "loop/event_loop.h"
#include "loop/timer_heap.h"

namespace gcsflux::internal {

/// How what runs waits to be woken: a fiber is suspended, and its loop runs others meanwhile; a thread sleeps. It
/// belongs to the fiber or thread that makes it.
class Pause final : public LoopTimer {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  Pause() = default;
  ~Pause() = default;

  /// Ends the wait that is under way, or the next one. Thread-safe. In a child of fork() it does nothing: the loop is
  /// the parent's, and the stop_token that calls this may be the child's. The owner makes sure that no call of it is
  /// still running when this is destroyed, as for a std::condition_variable.
  void Wake();

  /// By its owner. True when it was woken, false when the time has come.
  bool WaitUntil(TimePoint due);
  bool WaitFor(std::chrono::nanoseconds duration);
  void Wait();

  /// The wait that is under way ends at `due`, if it would end later. By the owner's loop.
  void Expedite(TimePoint due);

 private:
  enum class State { kIdle, kWaiting, kWoken };

  bool Suspend(std::optional<TimePoint> due);
  bool Sleep(std::optional<TimePoint> due);
  void OnTime() override;

  const ProcessMark made_in_;
  EventLoop* const loop_ = EventLoop::Current();
  Fiber* const fiber_ = Fiber::Current();  // Null: it is a thread's.
  std::atomic<State> state_ = State::kIdle;
  std::mutex mutex_;  // Guards state_ of a thread's.
  std::condition_variable woken_;
};

}  // namespace gcsflux::internal
