#include "auth/token_exchange.h"

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "auth/token_answers.h"
#include "base/hide_secret.h"
#include "base/process/no_time_limit.h"
#include "retry/backoff.h"
#include "retry/transient.h"

namespace gcsflux::internal {
namespace {

// A wrong server in a token endpoint's place must not fill the memory.
class SmallBody : public BodyReceiver {
 public:
  Result<bool> OnHeaders(const HttpResponse&) override { return true; }
  Result<void> OnBody(std::span<const std::byte> data) override {
    constexpr std::size_t kMostBytes = 1 << 20;
    if (data.size() > kMostBytes - text.size()) {
      return Error{ErrorCode::kBadResponse, "the answer is larger than 1 MiB"};
    }
    text.append(reinterpret_cast<const char*>(data.data()), data.size());
    return {};
  }

  std::string text;
};

Result<HttpResponse> SendOnce(const TokenContext& context, const TokenRequest& request) {
  SmallBody body;
  auto response = context.transport.Perform(request.http, &body, context.stop);
  if (response) response->body = std::move(body.text);
  if (response && response->status != 200) return ErrorOfTokenEndpoint(*response);
  return response;
}

// An answer may repeat parts of the request.
Error WithoutSecrets(Error error, const TokenRequest& request) {
  const std::vector<std::string_view> secrets(request.secrets.begin(), request.secrets.end());
  HideSecrets(error.message, secrets);
  HideSecrets(error.reason, secrets);
  return error;
}

Error GivenUp(Error error, int attempts) {
  error.code = ErrorCode::kTokenUnavailable;
  if (attempts > 1) error.message += " after " + std::to_string(attempts) + " attempts";
  return error;
}

}  // namespace

Error NoTokenFrom(const std::string& url, Error error, const char* wanted) {
  error.message = std::string("no ") + wanted + " from " + url.substr(0, url.find('?')) + ": " + error.message;
  error.http_status = 0;
  return error;
}

Result<HttpResponse> SendTokenRequest(const TokenContext& context, const TokenRequest& request) {
  const std::string& url = request.http.url;
  const auto end = context.timing.Now() + InNanoseconds(context.retry.deadline);
  for (int attempts = 1;; ++attempts) {
    auto response = SendOnce(context, request);
    if (response) return response;
    const Error error = WithoutSecrets(response.error(), request);
    if (!IsTransient(error)) return NoTokenFrom(url, error, request.wanted);
    const auto delay = BackoffDelay(context.retry, attempts, context.timing.Random());
    if (attempts >= context.retry.max_attempts || context.timing.Now() + delay >= end) {
      return NoTokenFrom(url, GivenUp(error, attempts), request.wanted);
    }
    if (context.observer != nullptr) context.observer->TokenRetried();
    if (!context.timing.Wait(delay, context.stop)) {
      return NoTokenFrom(url, Error{ErrorCode::kCancelled, "cancelled while waiting to repeat"}, request.wanted);
    }
  }
}

}  // namespace gcsflux::internal
