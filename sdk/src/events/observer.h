#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/process/leaf_section.h"
#include "base/process/mutex.h"
#include "events/billing.h"
#include "gcsflux/events.h"
#include "loop/user_code_threads.h"

namespace gcsflux::internal {

/// Receives all that a client does. It always counts it, and tells the listener if there is one. Thread-safe. Call it
/// without a lock, because a listener may be slow.
class Observer {
 public:
  explicit Observer(std::shared_ptr<EventListener> listener = nullptr) : listener_(std::move(listener)) {}

  /// There is a listener: data that only an event needs is worth collecting.
  [[nodiscard]] bool is_heard() const { return listener_ != nullptr; }

  void CallBegan() { Add(tallies_.calls); }
  void ReadResumed() { Add(tallies_.reads_resumed); }
  void SessionRestarted() { Add(tallies_.sessions_restarted); }
  void TokenRetried() { Add(tallies_.token_retries); }

  /// An attempt has ended; `billing` is its class. `make_event` makes the event; it is called only if there is a
  /// listener.
  template <class MakeEvent>
  void RequestEnded(BillingClass billing, std::uint64_t bytes_sent, std::uint64_t bytes_received,
                    MakeEvent make_event) {
    Add(tallies_.requests[static_cast<std::size_t>(billing)]);
    Add(tallies_.bytes_sent, bytes_sent);
    Add(tallies_.bytes_received, bytes_received);
    Tell(make_event);
  }

  /// Any other event. The listener is told once of a shortage of threads, because later work finds as few, and once for
  /// each bucket of kUnverifiedRead and kCompositionRefused.
  void Report(const Event& event);

  [[nodiscard]] Counters counters() const;

 private:
  using Tally = std::atomic<std::uint64_t>;
  static void Add(Tally& tally, std::uint64_t count = 1) { tally.fetch_add(count, std::memory_order_relaxed); }

  void Count(const Event& event);
  bool IsNews(const Event& event);

  // A listener only watches a call: its exceptions must not end the call.
  template <class MakeEvent>
  void Tell(MakeEvent make_event) noexcept {
    if (listener_ == nullptr) return;
    RunUserCode(UserCode::kIsTold, [&]() noexcept {
      const UserCodeSection user_code;
      try {
        listener_->OnEvent(make_event());
      } catch (...) {
        Add(tallies_.listener_exceptions);
      }
    });
  }

  const std::shared_ptr<EventListener> listener_;
  struct {
    Tally requests[3] = {0, 0, 0};  // by BillingClass
    Tally calls = 0, failures = 0, retries = 0, throttled = 0, stalls = 0, hedges = 0, hedges_won = 0;
    Tally budget_waits = 0, budget_wait_us = 0;
    Tally reads_resumed = 0, sessions_restarted = 0, token_refreshes = 0, token_failures = 0, token_retries = 0;
    Tally bytes_sent = 0, bytes_received = 0, listener_exceptions = 0, unverified_reads = 0;
  } tallies_;
  LeafMutex mutex_;
  std::set<std::pair<EventKind, std::string>> told_of_ GUARDED_BY(mutex_);  // With the bucket.
};

}  // namespace gcsflux::internal
