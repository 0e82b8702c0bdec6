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
    Event event = {};  ///< For its numbers: its strings are destroyed.
  };
  struct Retry {
    Call call = {};
    Error cause = {};
    std::chrono::nanoseconds delay{0};
  };
  struct Throttle {
    Call call = {};
    Event event = {};
  };
  struct Token {
    std::string credential = {};
    std::optional<Error> failure = {};
    std::chrono::nanoseconds took{0};
  };

  void OnEvent(const Event& event) override {
    const std::scoped_lock lock(mutex_);
    switch (event.kind) {
      case EventKind::kRequest:
        requests.push_back({Copy(event), std::string(event.method), std::string(event.url), NumbersOf(event)});
        break;
      case EventKind::kRetry: retries.push_back({Copy(event), *event.error, event.duration}); break;
      case EventKind::kThrottle: throttles.push_back({Copy(event), NumbersOf(event)}); break;
      case EventKind::kUnverifiedRead: unverified.push_back(Copy(event)); break;
      case EventKind::kToken:
        tokens.push_back({std::string(event.what), event.error == nullptr ? std::nullopt : std::optional(*event.error),
                          event.duration});
        break;
      case EventKind::kCompositionRefused: refusals.emplace_back(event.bucket, event.what); break;
      case EventKind::kUnannouncedOrder: unannounced.emplace_back(event.subject, event.what); break;
      case EventKind::kCacheUnusable: unusable_caches.emplace_back(event.subject, event.error->message); break;
      default: break;
    }
  }

  std::vector<Request> requests = {};
  std::vector<Retry> retries = {};
  std::vector<Throttle> throttles = {};
  std::vector<Call> unverified = {};
  std::vector<Token> tokens = {};
  std::vector<std::pair<std::string, std::string>> refusals = {};     ///< Of composing: bucket and reason.
  std::vector<std::pair<std::string, std::string>> unannounced = {};  ///< Orders: the dataset's prefix, and the advice.
  std::vector<std::pair<std::string, std::string>> unusable_caches = {};  ///< Directory and error.

 private:
  static Call Copy(const Event& event) {
    return {std::string(event.operation), std::string(event.subject), std::string(event.bucket),
            std::string(event.invocation_id), event.attempt};
  }
  static Event NumbersOf(Event event) {
    event.operation = event.subject = event.bucket = event.invocation_id = event.method = event.url = {};
    event.error = nullptr;
    return event;
  }

  std::mutex mutex_;
};

}  // namespace gcsflux::testing
