#include "client/hedge.h"

#include <utility>

#include "client/throttling.h"

namespace gcsflux::internal {

const HttpRequest* Hedge::OnOverdue() {
  const auto stall = parts_.progress.TakeStall();
  Event stalled = parts_.attempts.Of(stall.kind);
  stalled.duration = stall.stood_still;
  stalled.threshold = stall.threshold;
  parts_.observer.Report(stalled);
  auto request = parts_.make_second(parts_.attempts.number() + 1);
  if (!request) return nullptr;
  if (parts_.gate != nullptr) {
    const auto entered = parts_.gate->EnterIfOpen(parts_.attempts.ticket().value_or(0));
    if (!entered) return nullptr;
    sent_ = *entered;
  }
  if (!parts_.budget.Take()) {
    if (parts_.gate != nullptr) parts_.gate->OnOther();
    return nullptr;
  }
  parts_.attempts.CountSecond();
  second_ = std::make_unique<ObservedRequest>(parts_.observer, parts_.timing, parts_.attempts, *std::move(request));
  parts_.progress.OnSecondSent();
  parts_.observer.Report(second_->Of(EventKind::kHedgeSent));
  return &second_->request();
}

void Hedge::OnSecondWon() {
  parts_.observer.Report(second_->Of(EventKind::kHedgeWon));
  if (parts_.gate != nullptr) parts_.gate->OnSuccess(sent_);
  if (winner_) winner_->Ended(Error{ErrorCode::kCancelled, "a second request was faster"});
  winner_ = std::move(second_);
}

void Hedge::OnSecondFailed(const Result<HttpResponse>& outcome) {
  parts_.observer.Report(second_->Of(EventKind::kHedgeLost));
  ReportToGate(parts_.gate, sent_, outcome, parts_.attempts, parts_.observer);
  second_->Ended(outcome);
  second_.reset();
}

}  // namespace gcsflux::internal
