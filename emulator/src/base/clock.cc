#include "gcsflux/emulator/clock.h"

#include <algorithm>
#include <cassert>

namespace gcsflux::emulator {
namespace {

using std::chrono::nanoseconds;
using std::chrono::system_clock;

// Above it, a sum of times could overflow. A thread that waits longer looks at the clock in between.
constexpr std::chrono::hours kLongestWait{1};

std::int64_t Nanoseconds(system_clock::duration time) { return std::chrono::duration_cast<nanoseconds>(time).count(); }

Clock::Time FromNanoseconds(std::int64_t time) {
  return Clock::Time(std::chrono::duration_cast<system_clock::duration>(nanoseconds(time)));
}

}  // namespace

Clock::Time Clock::Now() const {
  const std::int64_t frozen_at = frozen_at_.load(std::memory_order_acquire);
  if (frozen_at != kRunning) return FromNanoseconds(frozen_at);
  return FromNanoseconds(Nanoseconds(system_clock::now().time_since_epoch()) + ahead_.load(std::memory_order_relaxed));
}

void Clock::Advance(nanoseconds by) {
  assert(by.count() >= 0);
  const std::scoped_lock lock(mutex_);
  ++moves_;
  moved_.notify_all();
  std::int64_t frozen_at = frozen_at_.load();
  while (frozen_at != kRunning) {
    if (frozen_at_.compare_exchange_weak(frozen_at, frozen_at + by.count())) return;
  }
  ahead_.fetch_add(by.count());
}

void Clock::Freeze() {
  const std::scoped_lock lock(mutex_);
  ++moves_;
  moved_.notify_all();
  std::int64_t running = kRunning;
  frozen_at_.compare_exchange_strong(running, Nanoseconds(Now().time_since_epoch()));
}

bool Clock::WaitUntil(Time time, const std::stop_token& stop) const {
  if (Now() >= time) return true;  // paced streams ask thousands of times per second, and are often late
  std::unique_lock lock(mutex_);
  ++waiters_;
  arrived_.notify_all();
  for (Time now = Now(); now < time && !stop.stop_requested(); now = Now()) {
    const auto is_moved = [this, moves = moves_] { return moves_ != moves; };
    if (frozen_at_.load() != kRunning) {
      moved_.wait(lock, stop, is_moved);
    } else {
      moved_.wait_for(lock, stop, std::min<nanoseconds>(time - now, kLongestWait), is_moved);
    }
  }
  --waiters_;
  return Now() >= time;
}

void Clock::AwaitWaiters(std::size_t waiters) const {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [&] { return waiters_ >= waiters; });
}

}  // namespace gcsflux::emulator
