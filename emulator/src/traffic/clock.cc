#include "gcsflux/emulator/clock.h"

#include <cassert>

namespace gcsflux::emulator {
namespace {

using std::chrono::nanoseconds;
using std::chrono::system_clock;

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
  std::int64_t frozen_at = frozen_at_.load();
  while (frozen_at != kRunning) {
    if (frozen_at_.compare_exchange_weak(frozen_at, frozen_at + by.count())) return;
  }
  ahead_.fetch_add(by.count());
}

void Clock::Freeze() {
  std::int64_t running = kRunning;
  frozen_at_.compare_exchange_strong(running, Nanoseconds(Now().time_since_epoch()));
}

}  // namespace gcsflux::emulator
