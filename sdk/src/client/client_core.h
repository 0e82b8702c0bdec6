#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/fork.h"
#include "base/timing.h"
#include "client/authorization.h"
#include "client/delivery_budget.h"
#include "client/hedge.h"
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
  struct Settings {
    std::string endpoint;  ///< "scheme://host:port"
    std::string project;
    internal::Authorization authorization = {};
    RetryPolicies retry = {};
    ThrottlePolicy throttle_policy = ThrottlePolicy::kGate;
    IdempotencyPolicy idempotency = IdempotencyPolicy::kStrict;
    internal::Headers extra_headers = {};
    std::vector<std::string> proxy_secrets = {};  ///< What the proxy's URL holds that no message may show.
    HedgeOptions hedge = {};
    bool require_checksum = false;
    std::uint64_t max_undelivered_bytes = ClientOptions().max_undelivered_bytes;
    std::size_t io_threads = 1;
    std::shared_ptr<EventListener> event_listener = nullptr;
  };

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
        secrets_(SecretsOf(settings_)) {}

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const std::string& endpoint() const { return settings_.endpoint; }
  /// Whom to tell what is done.
  [[nodiscard]] internal::Observer& observer() const { return observer_; }
  /// Time and chance, for what is built upon a client.
  [[nodiscard]] const internal::Timing& timing() const { return *timing_; }
  /// Every gate that was asked for, by bucket and class.
  [[nodiscard]] std::vector<GateStatus> flow_control() const { return gates_.status(); }

  /// Where requests run of which many are in flight at a time; started when they are first asked for.
  [[nodiscard]] internal::EventLoops& loops() const;

  /// What download streams may fetch ahead.
  [[nodiscard]] internal::DeliveryBudget& delivery_budget() const { return delivery_budget_; }

  /// Calls `attempt(Attempts&)` under the call's retry policy or the client's: see internal::RetryLoop.
  /// kInvalidArgument where the call's own is out of range.
  template <class Attempt>
  auto Retry(const internal::Call& call, Attempt attempt) const -> std::invoke_result_t<Attempt, internal::Attempts&> {
    if (call.retry) {
      if (auto checked = internal::CheckRetryOptions(*call.retry); !checked)
        return internal::InCall(call, checked.error());
    }
    const RetryOptions& options = call.retry ? *call.retry : internal::PolicyOf(settings_.retry, call.kind);
    const internal::RetryRules rules{.options = options,
                                     .timing = *timing_,
                                     .budget = &budgets_.Of(call.kind),
                                     .throttle_policy = settings_.throttle_policy,
                                     .observer = &observer_};
    return internal::RetryLoop(call, rules, std::move(attempt));
  }

  /// What a read that stands still is asked for a second time: what has not come yet, or nothing where all has.
  using RestOfRead = std::function<std::optional<internal::HttpRequest>()>;

  /// One attempt: let in by the gate of its bucket and class, authorised, tagged with the call's identity, any status
  /// as a Result; a read may be hedged, with the request itself unless `rest` says with what. A status of 300 or more
  /// that is not 308 is an Error.
  Result<internal::HttpResponse> Send(const internal::HttpRequest& request, const std::string& invocation_id,
                                      internal::Attempts& attempts, const std::stop_token& stop,
                                      internal::BodyReceiver* receiver = nullptr, const RestOfRead& rest = {}) const;
  /// The same with every status as it came. kForked in a child of the process that made this.
  Result<internal::HttpResponse> SendRaw(const internal::HttpRequest& request, const std::string& invocation_id,
                                         internal::Attempts& attempts, const std::stop_token& stop,
                                         internal::BodyReceiver* receiver = nullptr, const RestOfRead& rest = {}) const;

  /// A request whose answer is small, retried.
  Result<internal::HttpResponse> Exchange(const internal::Call& call, const internal::HttpRequest& request) const;

  /// With what requests of the credential's own are sent.
  [[nodiscard]] internal::TokenContext TokenContextFor(const std::stop_token& stop) const {
    return {*transport_, *timing_, settings_.retry.metadata, stop, &observer_};
  }

  /// A UUID that names one call over all its attempts.
  [[nodiscard]] std::string NewInvocationId() const;

 private:
  static std::shared_ptr<const std::vector<std::string>> SecretsOf(const Settings& settings);
  [[nodiscard]] bool IsToEndpoint(const internal::HttpRequest& request) const;
  // One attempt, as it was handed to SendRaw().
  struct Sending {
    const internal::HttpRequest& request;
    const std::string& invocation_id;
    internal::Attempts& attempts;
    const std::stop_token& stop;
    internal::BodyReceiver* receiver;
    const RestOfRead& rest;
    internal::GateKeeper* gate;  // Null where no gate is in charge.
  };
  Result<internal::HttpResponse> Transmit(const Sending& sending) const;
  Result<internal::HttpResponse> Perform(const Sending& sending, const internal::AccessToken* token) const;
  Result<internal::HttpResponse> PerformHedged(const Sending& sending, const internal::AccessToken* token) const;
  internal::HttpRequest Complete(internal::HttpRequest request, int attempt, const Sending& sending,
                                 const internal::AccessToken* token) const;

  const Settings settings_;
  const internal::ProcessMark made_in_;
  const std::unique_ptr<internal::Transport> transport_;
  const std::unique_ptr<internal::Timing> timing_;
  mutable internal::Observer observer_;
  mutable internal::Gates gates_;
  mutable internal::RetryBudgets budgets_;
  mutable internal::Hedging hedging_;
  mutable internal::DeliveryBudget delivery_budget_;
  const std::shared_ptr<const std::vector<std::string>> secrets_;  // that all requests carry; null for none
  mutable internal::ForkSafeMutex loops_mutex_;
  // Guarded by loops_mutex_. Last: their tasks use what stands above, and the transport is theirs as long as they run.
  mutable std::unique_ptr<internal::EventLoops> loops_;
};

}  // namespace gcsflux
