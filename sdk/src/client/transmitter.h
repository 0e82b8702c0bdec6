#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/timing.h"
#include "client/client_settings.h"
#include "client/hedge.h"
#include "events/observer.h"
#include "http/transport.h"
#include "retry/gate_keeper.h"
#include "retry/retry_loop.h"

namespace gcsflux::internal {

/// What a read that stands still is asked for a second time: what has not come yet, or nothing if all has.
using RestOfRead = std::function<std::optional<HttpRequest>()>;

/// A request as a part of a call's attempt. It is sent until it has an answer or the call's stop_token says stop. What
/// it refers to outlives the sending.
struct Sending {
  const HttpRequest& request;
  const std::string& invocation_id;  ///< Of the call, over all its attempts.
  Attempts& attempts;
  BodyReceiver* receiver = nullptr;
  const RestOfRead* rest = nullptr;  ///< For a hedged read; null repeats the request itself.
};

/// How a request that its gate has let in goes over the network: with whose token, under which headers, and a second
/// time if it is a read that stands still. Thread-safe.
class Transmitter {
 public:
  /// All of them outlive it.
  Transmitter(const ClientSettings& settings, Transport& transport, const Timing& timing, Observer& observer,
              Hedging& hedging);

  /// Any status as it came. A token that is refused is renewed once. `gate` has let it in; null for none.
  Result<HttpResponse> Transmit(const Sending& sending, GateKeeper* gate) const;

  /// With what requests of the credential's own are sent.
  [[nodiscard]] TokenContext TokenContextFor(const std::stop_token& stop) const {
    return {transport_, timing_, settings_.retry.metadata, stop, &observer_};
  }

 private:
  [[nodiscard]] bool IsToEndpoint(const HttpRequest& request) const;
  Result<HttpResponse> Perform(const Sending& sending, GateKeeper* gate, const AccessToken* token) const;
  Result<HttpResponse> PerformHedged(const Sending& sending, GateKeeper* gate, const AccessToken* token) const;
  HttpRequest Complete(HttpRequest request, int attempt, const Sending& sending, const AccessToken* token) const;

  const ClientSettings& settings_;
  Transport& transport_;
  const Timing& timing_;
  Observer& observer_;
  Hedging& hedging_;
  const std::shared_ptr<const std::vector<std::string>> secrets_;  // that all requests carry; null for none
};

}  // namespace gcsflux::internal
