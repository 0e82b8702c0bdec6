#pragma once

#include "events/billing.h"
#include "http/transport.h"
#include "retry/operation_kind.h"

namespace gcsflux::internal {

/// What a request of a call is billed as, where the call is an operation of this class and kind.
///
/// All requests of a resumable upload together are one operation: the one that begins the session counts, and those to
/// the session do not. A call that writes and looks what is stored, since an answer was lost, sends a GET beside.
constexpr BillingClass BillingOf(BillingClass of_call, OperationKind kind, const HttpRequest& request) {
  if (request.is_url_secret) return BillingClass::kFree;
  const bool is_write = kind == OperationKind::kUpload || kind == OperationKind::kWriteMetadata;
  return is_write && request.method == Method::kGet ? BillingClass::kB : of_call;
}

}  // namespace gcsflux::internal
