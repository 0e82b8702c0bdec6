#include "retry/idempotency_tokens.h"

#include <string_view>
#include <utility>

namespace gcsflux::internal {
namespace {

std::string_view RangeOf(const HttpRequest& request) {
  const std::string_view range = FindHeader(request.headers, "Range");
  return range.empty() ? FindHeader(request.headers, "Content-Range") : range;
}

// True unless another attempt could have another outcome: after a lost answer, a fault of the service, a quota, an
// expired credential.
bool IsFinal(const Result<HttpResponse>& outcome) {
  if (!outcome) return false;
  const int status = outcome->status;
  return status < 500 && status != 401 && status != 408 && status != 429;
}

}  // namespace

std::optional<IdempotencyTokens::Logical>& IdempotencyTokens::Place(const HttpRequest& request) {
  const bool is_status_query = request.is_url_secret && RangeOf(request).starts_with("bytes */");
  return request.method == Method::kGet || is_status_query ? question_ : change_;
}

const std::string& IdempotencyTokens::For(const HttpRequest& request, const std::string& call_id,
                                          const std::function<std::string()>& make) {
  std::optional<Logical>& last = Place(request);
  const std::string_view range = RangeOf(request);
  const bool is_same =
      last && last->method == request.method && last->url == request.url && std::string_view(last->range) == range;
  if (!is_same) {
    last = Logical{.method = request.method,
                   .url = request.url,
                   .range = std::string(range),
                   .token = std::exchange(is_call_id_taken_, true) ? make() : call_id};
  }
  return last->token;
}

void IdempotencyTokens::OnOutcome(const HttpRequest& request, const Result<HttpResponse>& outcome) {
  if (IsFinal(outcome)) Place(request).reset();
}

}  // namespace gcsflux::internal
