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

/// The second request for a stalled read: the bytes that have not come yet, or nothing if all have come.
using RestOfRead = std::function<std::optional<HttpRequest>()>;

/// One request of a call's attempt. It runs until it is answered or the call's stop_token stops it. Its references must
/// outlive it.
struct Sending {
  const HttpRequest& request;
  const std::string& invocation_id;  ///< Names the call in all its attempts.
  Attempts& attempts;
  BodyReceiver* receiver = nullptr;
  const RestOfRead* rest = nullptr;  ///< For a hedged read. Null repeats the request itself.
};

/// Sends a request that has passed its gate: with a token and the common headers, and a second time if it is a stalled
/// read. Thread-safe.
class Transmitter {
 public:
  /// All arguments must outlive it.
  Transmitter(const ClientSettings& settings, Transport& transport, const Timing& timing, Observer& observer,
              Hedging& hedging);

  /// Returns the answer with any status. If a token is refused, it is renewed once. `gate` is the gate that the request
  /// has passed; null for none.
  Result<HttpResponse> Transmit(const Sending& sending, GateKeeper* gate) const;

  /// The context for requests that fetch tokens.
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
  const std::shared_ptr<const std::vector<std::string>> secrets_;  // In all requests; null for none.
};

}  // namespace gcsflux::internal
