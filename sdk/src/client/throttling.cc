#include "client/throttling.h"

#include "retry/throttle_cause.h"
#include "wire/error_response.h"

namespace gcsflux::internal {
namespace {

std::optional<Error> Throttling(const Result<HttpResponse>& response) {
  if (!response || (response->status != 429 && response->status != 403 && response->status != 410)) return std::nullopt;
  Error error = ErrorFromResponse(*response);
  return error.code == ErrorCode::kRateLimited ? std::optional(std::move(error)) : std::nullopt;
}

// A request that the service has processed, with any answer, has passed the quota.
void Report(GateKeeper& gate, Gate::TimePoint sent, const Result<HttpResponse>& response,
            const std::optional<Error>& throttling, Attempts& attempts) {
  if (!response || response->status >= 500) return gate.OnOther();
  if (!throttling) return gate.OnSuccess(sent);
  // The limit of a single object concerns only this request.
  if (CauseOfThrottling(*throttling) == ThrottleCause::kObjectMutation) return gate.OnOther();
  attempts.SetGateDelay(gate.OnThrottled(sent, attempts.number()));
}

}  // namespace

void ReportToGate(GateKeeper* gate, Gate::TimePoint sent, const Result<HttpResponse>& response, Attempts& attempts,
                  Observer& observer) {
  const auto throttling = Throttling(response);
  if (gate != nullptr) Report(*gate, sent, response, throttling, attempts);
  if (!throttling) return;
  const auto state = gate != nullptr ? gate->state() : GateStatus{};
  Event event = attempts.Of(EventKind::kThrottle);
  event.gate_class = GateClassOf(attempts.call().kind);
  event.is_engaged = state.is_engaged;
  event.rate = state.rate;
  observer.Report(event);
}

}  // namespace gcsflux::internal
