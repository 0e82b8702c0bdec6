#pragma once

#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "auth/token_exchange.h"
#include "http/transport.h"
#include "support/driven_timing.h"

namespace gcsflux::testing {

/// A service in memory that issues tokens. A test chooses its answers. Thread-safe if `answer` is.
class TokenService : public internal::Transport {
 public:
  using Answer = std::function<Result<internal::HttpResponse>(const internal::HttpRequest&)>;

  explicit TokenService(Answer answer) : answer_(std::move(answer)) {}

  Result<internal::HttpResponse> Perform(const internal::HttpRequest& request, internal::BodyReceiver* receiver,
                                         const std::stop_token&) override {
    {
      const std::scoped_lock lock(mutex_);
      requests_.push_back(request);
    }
    auto response = answer_(request);
    if (!response || receiver == nullptr) return response;
    const auto is_taken = receiver->OnHeaders(*response);
    if (!is_taken) return is_taken.error();
    if (!*is_taken) return response;
    const std::string body = std::exchange(response->body, {});
    const auto taken = receiver->OnBody(std::as_bytes(std::span(body)));
    return taken ? response : Result<internal::HttpResponse>(taken.error());
  }

  std::vector<internal::HttpRequest> requests() {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }

 private:
  const Answer answer_;
  std::mutex mutex_;
  std::vector<internal::HttpRequest> requests_;  // Guarded by mutex_.
};

/// The answer of a token endpoint: RFC 6749, section 5.1.
inline internal::HttpResponse TokenAnswer(const std::string& token, int seconds) {
  return {.status = 200,
          .body = R"({"access_token":")" + token + R"(","token_type":"Bearer","expires_in":)" +
                  std::to_string(seconds) + "}"};
}

}  // namespace gcsflux::testing
