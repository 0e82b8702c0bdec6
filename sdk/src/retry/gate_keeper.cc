#include "retry/gate_keeper.h"

#include <algorithm>

#include "base/leaf_stop_callback.h"
#include "base/process/mutex.h"

namespace gcsflux::internal {
namespace {

using namespace std::chrono_literals;

constexpr auto kHopeless = 5min;  // of 429s and no success

}  // namespace

GateKeeper::GateKeeper(const Timing& timing) : timing_(timing), gate_([this] { return timing_.Random(); }) {}

bool GateKeeper::IsHopelessLocked(Gate::TimePoint now) const {
  const auto since = gate_.throttled_since();
  return since && now - *since > kHopeless;
}

GateKeeper::Admission GateKeeper::Enter(Gate::Ticket ticket, Gate::TimePoint deadline, const std::stop_token& stop) {
  using Kind = Admission::Kind;
  MutexLock lock(mutex_);
  while (true) {
    const auto now = timing_.Now();
    const Kind kind = stop.stop_requested()   ? Kind::kCancelled
                      : IsHopelessLocked(now) ? Kind::kHopeless
                      : now >= deadline       ? Kind::kTooLate
                                              : Kind::kGo;
    if (kind != Kind::kGo) {
      gate_.Leave(ticket);
      WakeFirstLocked();
      return {.kind = kind};
    }
    const auto turn = gate_.Acquire(ticket, now);
    if (!turn) {
      WakeFirstIfLateLocked(now);
      return {.sent = now};
    }
    if (!waiters_.empty() && waiters_.begin()->first < ticket) WakeFirstIfLateLocked(now);
    Await(ticket, now, std::min(deadline, now + *turn), stop, lock);
  }
}

std::optional<Gate::TimePoint> GateKeeper::EnterIfOpen(Gate::Ticket ticket) {
  const MutexLock lock(mutex_);
  if (gate_.is_engaged()) return std::nullopt;
  const auto now = timing_.Now();
  gate_.Acquire(ticket, now);  // An open gate admits every request.
  return now;
}

// Waits until that time, until `stop`, or until woken.
void GateKeeper::Await(Gate::Ticket ticket, Gate::TimePoint now, Gate::TimePoint until, const std::stop_token& stop,
                       MutexLock<LeafMutex>& lock) {
  const std::stop_source waiter;
  waiters_[ticket] = {.asks_at = until, .wakes = waiter};
  lock.unlock();
  {
    const LeafStopCallback forward(stop, [to = waiter]() mutable { to.request_stop(); });
    timing_.Wait(until - now, waiter.get_token());
  }
  lock.lock();
  waiters_.erase(ticket);
}

// Another request has become the first in the queue, or its turn comes earlier than it was told.
void GateKeeper::WakeFirstIfLateLocked(Gate::TimePoint now) {
  if (!waiters_.empty() && gate_.FirstIsLate(waiters_.begin()->second.asks_at, now)) WakeFirstLocked();
}

void GateKeeper::WakeFirstLocked() {
  if (!waiters_.empty()) waiters_.begin()->second.wakes.request_stop();
}

void GateKeeper::OnSuccess(Gate::TimePoint sent) {
  const MutexLock lock(mutex_);
  const auto now = timing_.Now();
  gate_.OnSuccess(sent, now);
  WakeFirstIfLateLocked(now);
}

Gate::Duration GateKeeper::OnThrottled(Gate::TimePoint sent, int attempt) {
  const MutexLock lock(mutex_);
  const auto now = timing_.Now();
  const auto delay = gate_.OnThrottled(sent, now, attempt);
  WakeFirstIfLateLocked(now);
  return delay;
}

void GateKeeper::OnOther() {
  const MutexLock lock(mutex_);
  gate_.OnOther();
}

GateStatus GateKeeper::state() const {
  const MutexLock lock(mutex_);
  return {.is_engaged = gate_.is_engaged(),
          .rate = gate_.is_engaged() ? gate_.rate() : 0,
          .waiting = gate_.waiting(),
          .throttled = gate_.throttled()};
}

}  // namespace gcsflux::internal
