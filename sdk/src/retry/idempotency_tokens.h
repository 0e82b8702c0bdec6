#pragma once

#include <functional>
#include <optional>
#include <string>

#include "http/transport.h"

namespace gcsflux::internal {

/// The idempotency tokens of one call's requests. If the service receives a token again, it repeats its first answer.
///
/// All attempts of one logical request have one token. Every other request has its own token: the next chunk, page or
/// part, a read from another offset, a changed condition. Queries (reads, and a session's status) are distinguished
/// from changes: if a query comes between two attempts of a change, the change keeps its token. A final answer ends a
/// logical request: a later request is a new one, and the service must not answer it from memory. Used by one thread.
class IdempotencyTokens {
 public:
  /// The token of the next request. The first request of the call has `call_id`, as in Google's clients. Otherwise it
  /// is the token of the request's last attempt, or a new one. Valid until the next call.
  const std::string& For(const HttpRequest& request, const std::string& call_id,
                         const std::function<std::string()>& make);

  /// The outcome of the request that was last sent with such a token.
  void OnOutcome(const HttpRequest& request, const Result<HttpResponse>& outcome);

 private:
  struct Logical {
    Method method = Method::kGet;
    std::string url = {};
    std::string range = {};
    std::string token = {};
  };
  std::optional<Logical>& Place(const HttpRequest& request);

  std::optional<Logical> question_;
  std::optional<Logical> change_;
  bool is_call_id_taken_ = false;
};

}  // namespace gcsflux::internal
