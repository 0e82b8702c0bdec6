#pragma once

#include <stop_token>

#include "auth/token_requests.h"
#include "base/timing.h"
#include "events/observer.h"
#include "gcsflux/options.h"
#include "gcsflux/result.h"
#include "http/transport.h"

namespace gcsflux::internal {

/// What a fetch of tokens uses; borrowed from the call that needs the token.
struct TokenContext {
  Transport& transport;
  const Timing& timing;
  RetryOptions retry;
  std::stop_token stop;
  Observer* observer = nullptr;  ///< Null for none.
};

/// Sends the request until it is answered with 200, or fails for good: refused (kUnauthenticated), cancelled, TLS, a
/// wrong answer (kBadResponse), or a temporary failure until the retries ended (kTokenUnavailable). It returns no other
/// code and no HTTP status, so that a caller cannot mistake them for those of its own request.
Result<HttpResponse> SendTokenRequest(const TokenContext& context, const TokenRequest& request);

/// "no token from https://host/path: " and the error's own message, without the query, which may contain secrets.
/// `wanted` is what was requested, if it was not a token.
Error NoTokenFrom(const std::string& url, Error error, const char* wanted = "token");

}  // namespace gcsflux::internal
