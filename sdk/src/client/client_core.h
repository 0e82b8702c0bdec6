#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/process/mutex.h"
#include "base/process/owner_process.h"
#include "base/timing.h"
#include "base/uuid.h"
#include "client/client_settings.h"
#include "client/delivery_budget.h"
#include "client/hedge.h"
#include "client/transmitter.h"
#include "events/observer.h"
#include "gcsflux/client.h"
#include "http/transport.h"
#include "loop/event_loops.h"
#include "retry/check_options.h"
#include "retry/gates.h"
#include "retry/retry_loop.h"

namespace gcsflux {

/// What all copies of a Client share in one process: settings, connections, gates and time. Thread-safe.
class ClientCore {
 public:
  using Settings = internal::ClientSettings;

  ClientCore(Settings settings, std::unique_ptr<internal::Transport> transport,
             std::unique_ptr<internal::Timing> timing)
      : settings_(std::move(settings)),
        transport_(std::move(transport)),
        timing_(std::move(timing)),
        observer_(settings_.event_listener),
        gates_(*timing_),
        budgets_(settings_.retry),
        hedging_(settings_.hedge),
        delivery_budget_(settings_.max_undelivered_bytes),
        transmitter_(settings_, *transport_, *timing_, observer_, hedging_) {}

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const std::string& endpoint() const { return settings_.endpoint; }
  /// The listener's side: everything that the client does is reported here.
  [[nodiscard]] internal::Observer& observer() const { return observer_; }
  /// Clock, sleep and random numbers, also for code that uses a client.
  [[nodiscard]] const internal::Timing& timing() const { return *timing_; }
  /// The state of every gate that was used, by bucket and class.
  [[nodiscard]] std::vector<GateStatus> flow_control() const { return gates_.status(); }

  /// The event loops for work with many requests in flight. They start at the first call.
  [[nodiscard]] internal::EventLoops& loops() const;

  /// The limit for what download streams fetch ahead.
  [[nodiscard]] internal::DeliveryBudget& delivery_budget() const { return delivery_budget_; }

  /// Calls `attempt(Attempts&)` under the call's retry policy or the client's: see internal::RetryLoop. Returns
  /// kInvalidArgument if the call's own policy is out of range.
  template <class Attempt>
  auto Retry(const internal::Call& call, Attempt attempt) const -> std::invoke_result_t<Attempt, internal::Attempts&> {
    if (call.retry) {
      if (auto checked = internal::CheckRetryOptions(*call.retry); !checked)
        return internal::InCall(call, checked.error());
    }
    const RetryOptions& options = call.retry ? *call.retry : internal::PolicyOf(settings_.retry, call.kind);
    const internal::RetryRules rules{
        .options = options, .timing = *timing_, .budget = &budgets_.Of(call.kind), .observer = &observer_};
    return internal::RetryLoop(call, rules, std::move(attempt));
  }

  /// One attempt: passes the gate of its bucket and class, gets authorised and tagged with the call's identity. A read
  /// may be hedged. A status of 300 or more, except 308, is an Error.
  Result<internal::HttpResponse> Send(const internal::Sending& sending) const;
  /// The same, but any status is a Result. A child of the process that made this is refused.
  Result<internal::HttpResponse> SendRaw(const internal::Sending& sending) const;

  /// A request with a small answer, retried.
  Result<internal::HttpResponse> Exchange(const internal::Call& call, const internal::HttpRequest& request) const;

  /// The context for requests that fetch tokens.
  [[nodiscard]] internal::TokenContext TokenContextFor(const std::stop_token& stop) const {
    return transmitter_.TokenContextFor(stop);
  }

  /// A UUID that names one call in all its attempts.
  [[nodiscard]] std::string NewInvocationId() const { return internal::NewUuid(*timing_); }

 private:
  const Settings settings_;
  const internal::OwnerProcess owner_;
  const std::unique_ptr<internal::Transport> transport_;
  const std::unique_ptr<internal::Timing> timing_;
  mutable internal::Observer observer_;
  mutable internal::Gates gates_;
  mutable internal::RetryBudgets budgets_;
  mutable internal::Hedging hedging_;
  mutable internal::DeliveryBudget delivery_budget_;
  const internal::Transmitter transmitter_;
  mutable internal::LeafMutex loops_mutex_;
  // The last member: its tasks use the members above, and the transport as long as they run.
  mutable std::unique_ptr<internal::EventLoops> loops_ GUARDED_BY(loops_mutex_);
};

/// The shared state of a client's copies.
inline const ClientCore& CoreOf(const Client& client) { return client.core(); }
inline Client ClientOf(std::shared_ptr<const ClientCore> core) { return Client(std::move(core)); }

}  // namespace gcsflux
