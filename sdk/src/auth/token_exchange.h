#pragma once

#include <stop_token>

#include "auth/token_requests.h"
#include "base/timing.h"
#include "events/observer.h"
#include "gcsflux/options.h"
#include "gcsflux/result.h"
#include "http/transport.h"

namespace gcsflux::internal {

/// With what tokens are fetched; borrowed from the call that needs one.
struct TokenContext {
  Transport& transport;
  const Timing& timing;
  RetryOptions retry;
  std::stop_token stop;
  Observer* observer = nullptr;  ///< Null for none.
};

/// Sends the request until it is answered with 200, or fails for good: refused (kUnauthenticated), cancelled, TLS, an
/// answer that is none (kBadResponse), or what may pass went on until retries ended (kTokenUnavailable). No other code
/// comes back, and no HTTP status: a caller must not take them for those of its own request.
Result<HttpResponse> SendTokenRequest(const TokenContext& context, const TokenRequest& request);

/// "no token from https://host/path: " and the error's own message; no query, which may hold secrets. `wanted` is what
/// was asked for, where it was no token.
Error NoTokenFrom(const std::string& url, Error error, const char* wanted = "token");

}  // namespace gcsflux::internal
