#pragma once

#include <optional>

#include "events/observer.h"
#include "http/transport.h"
#include "retry/gate_keeper.h"
#include "retry/retry_loop.h"

namespace gcsflux::internal {

/// Tells the request's gate (null where none is in charge) how the service took a request that it let in at `sent`,
/// and `observer` where the answer asked for fewer requests.
void ReportToGate(GateKeeper* gate, Gate::TimePoint sent, const Result<HttpResponse>& response, Attempts& attempts,
                  Observer& observer);

}  // namespace gcsflux::internal
