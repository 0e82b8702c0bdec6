#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "gcsflux/events.h"

namespace gcsflux::testing {

/// A listener that keeps its events, with their strings. Thread-safe; read it when the calls are over.
class RecordedEvents : public EventListener {
 public:
  struct Call {
    std::string operation = {};
    std::string subject = {};
    std::string bucket = {};
    std::string invocation_id = {};
    int attempt = 0;
  };
  struct Request {
    Call call = {};
    std::string method = {};
    std::string url = {};
    RequestEvent event = {};  ///< For its numbers: its strings are destroyed.
  };
  struct Retry {
    Call call = {};
    Error cause = {};
    std::chrono::nanoseconds delay{0};
  };
  struct Throttle {
    Call call = {};
    ThrottleEvent event = {};
  };
  struct Token {
    std::string credential = {};
    std::optional<Error> failure = {};
    std::chrono::nanoseconds took{0};
  };

  void OnRequest(const RequestEvent& event) override {
    const std::scoped_lock lock(mutex_);
    requests.push_back({Copy(event.call), std::string(event.method), std::string(event.url), event});
    requests.back().event.call = {};
    requests.back().event.method = requests.back().event.url = {};
  }
  void OnRetry(const RetryEvent& event) override {
    const std::scoped_lock lock(mutex_);
    retries.push_back({Copy(event.call), event.cause, event.delay});
  }
  void OnThrottle(const ThrottleEvent& event) override {
    const std::scoped_lock lock(mutex_);
    throttles.push_back({Copy(event.call), event});
    throttles.back().event.call = {};
  }
  void OnUnverifiedRead(const UnverifiedReadEvent& event) override {
    const std::scoped_lock lock(mutex_);
    unverified.push_back(Copy(event.call));
  }
  void OnTokenRefresh(const TokenEvent& event) override {
    const std::scoped_lock lock(mutex_);
    tokens.push_back({std::string(event.credential),
                      event.failure == nullptr ? std::nullopt : std::optional(*event.failure), event.took});
  }

  void OnCompositionRefused(const CompositionRefusedEvent& event) override {
    const std::scoped_lock lock(mutex_);
    refusals.emplace_back(event.bucket, event.reason);
  }

  std::vector<Request> requests = {};
  std::vector<Retry> retries = {};
  std::vector<Throttle> throttles = {};
  std::vector<Call> unverified = {};
  std::vector<Token> tokens = {};
  std::vector<std::pair<std::string, std::string>> refusals = {};  ///< Of composing: bucket and reason.

 private:
  static Call Copy(const CallInfo& call) {
    return {std::string(call.operation), std::string(call.subject), std::string(call.bucket),
            std::string(call.invocation_id), call.attempt};
  }

  std::mutex mutex_;
};

}  // namespace gcsflux::testing
