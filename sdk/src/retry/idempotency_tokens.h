#pragma once

#include <functional>
#include <optional>
#include <string>

#include "http/transport.h"

namespace gcsflux::internal {

/// The idempotency tokens of one call's changes. If the service receives a token again, it repeats its first answer.
///
/// All attempts of one logical change have one token. Every other change has its own: the next chunk or part, a changed
/// condition. Queries (reads, and a session's status) have none: an earlier answer to them would be out of date. A
/// final answer ends a logical change: a later one is new, and the service must not answer it from memory. Used by one
/// thread.
class IdempotencyTokens {
 public:
  /// The token of the request. The first change of the call has `call_id`, as in Google's clients. Otherwise it is the
  /// token of its last attempt, or a new one. Empty for a query. Valid until the next call.
  const std::string& For(const HttpRequest& request, const std::string& call_id,
                         const std::function<std::string()>& make);

  /// The outcome of the request that was last sent.
  void OnOutcome(const HttpRequest& request, const Result<HttpResponse>& outcome);

 private:
  struct Change {
    Method method = Method::kGet;
    std::string url = {};
    std::string range = {};
    std::string token = {};
  };

  std::optional<Change> last_;
  bool is_call_id_taken_ = false;
};

}  // namespace gcsflux::internal
