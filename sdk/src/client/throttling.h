#pragma once

#include <optional>

#include "events/observer.h"
#include "http/transport.h"
#include "retry/gate_keeper.h"
#include "retry/retry_loop.h"

namespace gcsflux::internal {

/// Tells the gate how the service answered a request that passed the gate at `sent`; a null gate is ignored. If the
/// answer asked for fewer requests, tells `observer`.
void ReportToGate(GateKeeper* gate, Gate::TimePoint sent, const Result<HttpResponse>& response, Attempts& attempts,
                  Observer& observer);

}  // namespace gcsflux::internal
