#include "retry/idempotency_tokens.h"

#include <string_view>
#include <utility>

namespace gcsflux::internal {
namespace {

std::string_view RangeOf(const HttpRequest& request) { return FindHeader(request.headers, "Content-Range"); }

bool IsQuery(const HttpRequest& request) {
  return request.method == Method::kGet || (request.is_url_secret && RangeOf(request).starts_with("bytes */"));
}

// True unless another attempt could have another outcome: after a lost answer, a fault of the service, a quota, an
// expired credential.
bool IsFinal(const Result<HttpResponse>& outcome) {
  if (!outcome) return false;
  const int status = outcome->status;
  return status < 500 && status != 401 && status != 408 && status != 429;
}

}  // namespace

const std::string& IdempotencyTokens::For(const HttpRequest& request, const std::string& call_id,
                                          const std::function<std::string()>& make) {
  static const auto& none = *new std::string();
  if (IsQuery(request)) return none;
  const std::string_view range = RangeOf(request);
  const bool is_same =
      last_ && last_->method == request.method && last_->url == request.url && std::string_view(last_->range) == range;
  if (!is_same) {
    last_ = Change{.method = request.method,
                   .url = request.url,
                   .range = std::string(range),
                   .token = std::exchange(is_call_id_taken_, true) ? make() : call_id};
  }
  return last_->token;
}

void IdempotencyTokens::OnOutcome(const HttpRequest& request, const Result<HttpResponse>& outcome) {
  if (IsFinal(outcome) && !IsQuery(request)) last_.reset();
}

}  // namespace gcsflux::internal
