#pragma once

#include "client/client_core.h"

namespace gcsflux::internal {

/// Sends a delete, retried. One whose own earlier attempt may have gone through takes "it is gone" for its success.
/// `conflict` is what a 409 with that reason means.
inline Result<void> ExchangeDelete(const ClientCore& core, const Call& call, const HttpRequest& request,
                                   ErrorCode conflict = ErrorCode::kAlreadyExists) {
  const std::string id = core.NewInvocationId();
  const auto response = core.Retry(call, [&](Attempts& attempts) {
    auto answer = core.Send(request, id, attempts, call.stop);
    const int status = answer ? 0 : answer.error().http_status;
    if ((status == 404 || status == 412) && attempts.was_ambiguous()) return Result<HttpResponse>(HttpResponse{});
    if (status != 409 || answer.error().reason != "conflict") return answer;
    Error error = answer.error();
    error.code = conflict;
    return Result<HttpResponse>(error);
  });
  if (!response) return response.error();
  return {};
}

}  // namespace gcsflux::internal
