#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>

#include "base/process/mutex.h"
#include "base/timing.h"
#include "gcsflux/events.h"
#include "retry/gate.h"

namespace gcsflux::internal {

/// A Gate for the threads of a process. Thread-safe.
class GateKeeper {
 public:
  /// `timing` must outlive it.
  explicit GateKeeper(const Timing& timing);

  /// Whether a request may be sent now, and at which time, or why it may never be sent.
  struct Admission {
    enum class Kind {
      kGo,
      kCancelled,  ///< `stop` asked for it.
      kTooLate,    ///< Its turn does not come before the deadline.
      kHopeless,   ///< For five minutes every request was throttled.
    };
    Kind kind = Kind::kGo;
    Gate::TimePoint sent = {};
  };
  /// Waits until it is decided.
  Admission Enter(Gate::Ticket ticket, Gate::TimePoint deadline, const std::stop_token& stop);

  /// The same for a request that is not necessary. Returns the time at which it is sent. Nothing if it would have to
  /// wait, or requests are being throttled.
  std::optional<Gate::TimePoint> EnterIfOpen(Gate::Ticket ticket);

  /// The outcome of a request that entered at `sent`: call exactly one of these.
  void OnSuccess(Gate::TimePoint sent);
  /// Returns how long the request waits before it enters again.
  Gate::Duration OnThrottled(Gate::TimePoint sent, int attempt);
  void OnOther();

  /// Without bucket and class, which it does not know.
  [[nodiscard]] GateStatus state() const;

 private:
  [[nodiscard]] bool IsHopelessLocked(Gate::TimePoint now) const REQUIRES(mutex_);
  void WakeFirstIfLateLocked(Gate::TimePoint now) REQUIRES(mutex_);
  void WakeFirstLocked() REQUIRES(mutex_);
  void Await(Gate::Ticket ticket, Gate::TimePoint now, Gate::TimePoint until, const std::stop_token& stop,
             MutexLock<LeafMutex>& lock) REQUIRES(mutex_, lock);

  const Timing& timing_;

  mutable LeafMutex mutex_;
  Gate gate_ GUARDED_BY(mutex_);
  struct Waiter {
    Gate::TimePoint asks_at;  // the next check, unless it is woken
    std::stop_source wakes;
  };
  std::map<Gate::Ticket, Waiter> waiters_ GUARDED_BY(mutex_);
};

}  // namespace gcsflux::internal
