#pragma once

#include <string>
#include <utility>

#include "base/timing.h"
#include "client/request_billing.h"
#include "events/observer.h"
#include "events/shown_url.h"
#include "http/transport.h"
#include "retry/retry_loop.h"

namespace gcsflux::internal {

/// A request in progress, and the report to its observer at the end. Not movable; used by one thread.
class ObservedRequest {
 public:
  /// For the current attempt. `observer`, `timing` and `attempts` must outlive it.
  ObservedRequest(Observer& observer, const Timing& timing, const Attempts& attempts, HttpRequest request)
      : observer_(observer),
        timing_(timing),
        attempts_(attempts),
        number_(attempts.number()),
        request_(std::move(request)),
        billing_(BillingOf(attempts.call().operation.billing, attempts.call().kind, request_)) {
    request_.statistics = &statistics_;
    if (observer_.is_heard()) start_ = timing_.Now();
  }
  ObservedRequest(const ObservedRequest&) = delete;
  ObservedRequest& operator=(const ObservedRequest&) = delete;

  [[nodiscard]] const HttpRequest& request() const { return request_; }
  /// An event about it.
  [[nodiscard]] Event Of(EventKind kind) const {
    Event event = attempts_.Of(kind);
    event.attempt = number_;
    return event;
  }

  /// Call it once.
  void Ended(const Result<HttpResponse>& outcome) {
    std::string url;
    const auto make_event = [&] {
      url = ShownUrl(request_.url, request_.is_url_secret);
      Event event = Of(EventKind::kRequest);
      event.method = MethodName(request_.method);
      event.url = url;
      event.bytes_sent = statistics_.bytes_sent;
      event.bytes_received = statistics_.bytes_received;
      event.start = start_;
      event.end = timing_.Now();
      if (outcome) event.status = outcome->status;
      if (!outcome) event.failure = outcome.error().code;
      if (statistics_.first_byte) event.first_byte = start_ + *statistics_.first_byte;
      return event;
    };
    const bool is_charged = outcome ? IsCharged(outcome->status, {}) : IsCharged(0, outcome.error().code);
    observer_.RequestEnded(is_charged ? billing_ : BillingClass::kFree, statistics_.bytes_sent,
                           statistics_.bytes_received, make_event);
  }

 private:
  Observer& observer_;
  const Timing& timing_;
  const Attempts& attempts_;
  const int number_;  // of its attempt
  HttpRequest request_;
  const BillingClass billing_;
  TransferStatistics statistics_;
  Timing::TimePoint start_;
};

}  // namespace gcsflux::internal
