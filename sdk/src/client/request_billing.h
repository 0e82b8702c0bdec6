#pragma once

#include "events/billing.h"
#include "http/transport.h"
#include "retry/operation_kind.h"

namespace gcsflux::internal {

/// The billing class of one request of a call.
///
/// A resumable upload is one operation: the request that starts the session counts, and the requests to the session do
/// not. After a lost answer, a call that writes also sends a GET to look at the stored object.
constexpr BillingClass BillingOf(BillingClass of_call, OperationKind kind, const HttpRequest& request) {
  if (request.is_url_secret) return BillingClass::kFree;
  return IsWrite(kind) && request.method == Method::kGet ? BillingClass::kB : of_call;
}

}  // namespace gcsflux::internal
