#include "loop/pause.h"

#include "base/process/no_time_limit.h"

namespace gcsflux::internal {

void Pause::Wake() {
  if (!owner_.IsCurrent()) return;
  if (fiber_ == nullptr) {
    const MutexLock lock(mutex_);
    state_ = State::kWoken;
    woken_.notify_one();
    return;
  }
  // The call that ends the state kWaiting makes the fiber ready, exactly once.
  if (state_.exchange(State::kWoken) == State::kWaiting) loop_->MakeReady(*fiber_);
}

void Pause::OnTime() {
  State waiting = State::kWaiting;
  if (state_.compare_exchange_strong(waiting, State::kIdle)) loop_->MakeReady(*fiber_);
}

bool Pause::WaitUntil(TimePoint due) { return fiber_ == nullptr ? Sleep(due) : Suspend(due); }

bool Pause::WaitFor(std::chrono::nanoseconds duration) {
  return WaitUntil(std::chrono::steady_clock::now() + InNanoseconds(duration));
}

void Pause::Wait() { static_cast<void>(fiber_ == nullptr ? Sleep(std::nullopt) : Suspend(std::nullopt)); }

bool Pause::Suspend(std::optional<TimePoint> due) {
  State idle = State::kIdle;
  if (state_.compare_exchange_strong(idle, State::kWaiting)) {
    if (due) loop_->timers().Set(*this, *due);
    Fiber::Suspend();
    loop_->timers().Remove(*this);
  }
  return state_.exchange(State::kIdle) == State::kWoken;
}

bool Pause::Sleep(std::optional<TimePoint> due) {
  MutexLock lock(mutex_);
  const auto is_woken = [this] { return state_ == State::kWoken; };
  if (due) {
    woken_.wait_until(lock, *due, is_woken);
  } else {
    woken_.wait(lock, is_woken);
  }
  return state_.exchange(State::kIdle) == State::kWoken;
}

void Pause::Expedite(TimePoint due) {
  const auto now = loop_->timers().DueOf(*this);
  if (now && due < *now) loop_->timers().Set(*this, due);
}

}  // namespace gcsflux::internal
