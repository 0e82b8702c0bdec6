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
        call_(attempts.info()),
        request_(std::move(request)),
        billing_(BillingOf(attempts.call().operation.billing, attempts.call().kind, request_)) {
    request_.statistics = &movement_;
    if (observer_.is_heard()) start_ = timing_.Now();
  }
  ObservedRequest(const ObservedRequest&) = delete;
  ObservedRequest& operator=(const ObservedRequest&) = delete;

  [[nodiscard]] const HttpRequest& request() const { return request_; }
  [[nodiscard]] const CallInfo& call() const { return call_; }

  /// Call it once.
  void Ended(const Result<HttpResponse>& outcome) {
    std::string url;
    const auto make_event = [&] {
      url = ShownUrl(request_.url, request_.is_url_secret);
      RequestEvent event{.call = call_,
                         .method = MethodName(request_.method),
                         .url = url,
                         .status = outcome ? outcome->status : 0,
                         .bytes_sent = movement_.bytes_sent,
                         .bytes_received = movement_.bytes_received,
                         .start = start_,
                         .end = timing_.Now()};
      if (!outcome) event.failure = outcome.error().code;
      if (movement_.first_byte) event.first_byte = start_ + *movement_.first_byte;
      return event;
    };
    const bool is_charged = outcome ? IsCharged(outcome->status, {}) : IsCharged(0, outcome.error().code);
    observer_.RequestEnded(is_charged ? billing_ : BillingClass::kFree, movement_.bytes_sent, movement_.bytes_received,
                           make_event);
  }

 private:
  Observer& observer_;
  const Timing& timing_;
  const CallInfo call_;
  HttpRequest request_;
  const BillingClass billing_;
  TransferStatistics movement_;
  Timing::TimePoint start_;
};

}  // namespace gcsflux::internal
