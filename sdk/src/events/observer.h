#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
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
  void CallFailed(const FailureEvent& event) {
    Add(tallies_.failures);
    Tell([&](EventListener& listener) { listener.OnFailure(event); });
  }

  /// An attempt has ended; `billing` is its class. `make_event` makes the RequestEvent; it is called only if there is a
  /// listener.
  template <class MakeEvent>
  void RequestEnded(BillingClass billing, std::uint64_t bytes_sent, std::uint64_t bytes_received,
                    MakeEvent make_event) {
    Add(tallies_.requests[static_cast<std::size_t>(billing)]);
    Add(tallies_.bytes_sent, bytes_sent);
    Add(tallies_.bytes_received, bytes_received);
    Tell([&](EventListener& listener) { listener.OnRequest(make_event()); });
  }
  void Retried(const RetryEvent& event) {
    Add(tallies_.retries);
    Tell([&](EventListener& listener) { listener.OnRetry(event); });
  }
  void HeldByBudget(const BudgetEvent& event) {
    Add(tallies_.budget_waits);
    Add(tallies_.budget_wait_us,
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(event.held).count()));
    Tell([&](EventListener& listener) { listener.OnBudget(event); });
  }
  void Throttled(const ThrottleEvent& event) {
    Add(tallies_.throttled);
    Tell([&](EventListener& listener) { listener.OnThrottle(event); });
  }
  void Stalled(const StallEvent& event) {
    Add(tallies_.stalls);
    Tell([&](EventListener& listener) { listener.OnStall(event); });
  }
  void Hedged(const CallInfo& call) {
    Add(tallies_.hedges);
    Tell([&](EventListener& listener) { listener.OnHedge({call, HedgeEvent::What::kSent}); });
  }
  void HedgeWon(const CallInfo& call) {
    Add(tallies_.hedges_won);
    Tell([&](EventListener& listener) { listener.OnHedge({call, HedgeEvent::What::kWon}); });
  }
  void HedgeLost(const CallInfo& call) {
    Tell([&](EventListener& listener) { listener.OnHedge({call, HedgeEvent::What::kLost}); });
  }
  void ReadResumed() { Add(tallies_.reads_resumed); }
  void UnverifiedRead(const CallInfo& call);
  void SessionRestarted() { Add(tallies_.sessions_restarted); }
  void TokenRetried() { Add(tallies_.token_retries); }
  void TokenFetched(const TokenEvent& event) {
    Add(event.failure == nullptr ? tallies_.token_refreshes : tallies_.token_failures);
    Tell([&](EventListener& listener) { listener.OnTokenRefresh(event); });
  }
  /// Tells it once: later work finds as few threads.
  void ShortOfThreads(const ThreadShortageEvent& event) {
    if (is_shortage_told_.exchange(true, std::memory_order_relaxed)) return;
    Tell([&](EventListener& listener) { listener.OnThreadShortage(event); });
  }

  /// Tells it once for each bucket: every Downloader of the client finds the same.
  void CompositionRefused(const CompositionRefusedEvent& event);

  [[nodiscard]] Counters counters() const;

 private:
  using Tally = std::atomic<std::uint64_t>;
  static void Add(Tally& tally, std::uint64_t count = 1) { tally.fetch_add(count, std::memory_order_relaxed); }

  // A listener only watches a call: its exceptions must not end the call.
  template <class Call>
  void Tell(Call call) noexcept {
    if (listener_ == nullptr) return;
    RunUserCode(UserCode::kIsTold, [&]() noexcept {
      const UserCodeSection user_code;
      try {
        call(*listener_);
      } catch (...) {
        Add(tallies_.listener_exceptions);
      }
    });
  }

  const std::shared_ptr<EventListener> listener_;
  std::atomic<bool> is_shortage_told_ = false;
  struct {
    Tally requests[3] = {0, 0, 0};  // by BillingClass
    Tally calls = 0, failures = 0, retries = 0, throttled = 0, stalls = 0, hedges = 0, hedges_won = 0;
    Tally budget_waits = 0, budget_wait_us = 0;
    Tally reads_resumed = 0, sessions_restarted = 0, token_refreshes = 0, token_failures = 0, token_retries = 0;
    Tally bytes_sent = 0, bytes_received = 0, listener_exceptions = 0, unverified_reads = 0;
  } tallies_;
  LeafMutex mutex_;
  // Buckets:
  std::set<std::string, std::less<>> warned_of_ GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> refused_in_ GUARDED_BY(mutex_);
};

}  // namespace gcsflux::internal
