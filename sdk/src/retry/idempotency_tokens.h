#pragma once

#include <functional>
#include <optional>
#include <string>

#include "http/transport.h"

namespace gcsflux::internal {

/// The idempotency tokens of one call's requests: the service answers a token that it has seen with its first answer.
///
/// All attempts of one logical request have one token. Every other request has its own: the next chunk, page or part,
/// a read that goes on further back, a condition that has changed. Questions (reads, and a session's status) are told
/// from what changes something, so that a question between two attempts of a change leaves the change its token. A
/// final answer ends a logical request: what is asked again afterwards is a new request, never answered from memory.
/// Used by one thread.
class IdempotencyTokens {
 public:
  /// The token of a request that is about to be sent: `call_id` for the first one of the call, as Google's clients have
  /// it, else that of its last attempt or a new one. Valid until the next call.
  const std::string& For(const HttpRequest& request, const std::string& call_id,
                         const std::function<std::string()>& make);

  /// What came of the request that was sent last with such a token.
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
