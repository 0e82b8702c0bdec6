#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <optional>

#include "base/process/mutex.h"
#include "base/process/owner_process.h"
#include "loop/event_loop.h"
#include "loop/timer_heap.h"

namespace gcsflux::internal {

/// A wait that can be ended early. A fiber is suspended, and its loop runs others meanwhile; a thread sleeps. It
/// belongs to the fiber or thread that makes it.
class Pause final : public LoopTimer {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  Pause() = default;
  ~Pause() = default;

  /// Ends the present wait, or the next one. Thread-safe. In a child process it does nothing: the loop is the
  /// parent's, but the stop_token that calls this may be the child's. As with a std::condition_variable, the owner must
  /// make sure that no call of it is running when this is destroyed.
  void Wake();

  /// For its owner. True if it was woken, false if the time has come.
  bool WaitUntil(TimePoint due);
  bool WaitFor(std::chrono::nanoseconds duration);
  void Wait();

  /// Makes the present wait end at `due`, if it would end later. For the owner's loop.
  void Expedite(TimePoint due);

 private:
  enum class State { kIdle, kWaiting, kWoken };

  bool Suspend(std::optional<TimePoint> due);
  bool Sleep(std::optional<TimePoint> due);
  void OnTime() override;

  const OwnerProcess owner_ = {};  // Initialised here, or clang would delete the constructor.
  EventLoop* const loop_ = EventLoop::Current();
  Fiber* const fiber_ = Fiber::Current();  // Null if a thread owns it.
  std::atomic<State> state_ = State::kIdle;
  Mutex mutex_;  // Guards state_ if a thread owns it.
  std::condition_variable woken_;
};

}  // namespace gcsflux::internal
