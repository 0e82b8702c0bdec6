#include "client/hedge.h"

#include <utility>

#include "client/throttling.h"

namespace gcsflux::internal {

const HttpRequest* Hedge::OnOverdue() {
  const auto stall = parts_.progress.TakeStall();
  parts_.observer.Stalled({.call = parts_.attempts.info(),
                           .phase = stall.phase,
                           .stood_still = stall.stood_still,
                           .threshold = stall.threshold});
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
  parts_.observer.Hedged(second_->call());
  return &second_->request();
}

void Hedge::OnSecondWon() {
  parts_.observer.HedgeWon(second_->call());
  if (parts_.gate != nullptr) parts_.gate->OnSuccess(sent_);
  if (winner_) winner_->Ended(Error{ErrorCode::kCancelled, "a second request was faster"});
  winner_ = std::move(second_);
}

void Hedge::OnSecondFailed(const Result<HttpResponse>& outcome) {
  parts_.observer.HedgeLost(second_->call());
  ReportToGate(parts_.gate, sent_, outcome, parts_.attempts, parts_.observer);
  second_->Ended(outcome);
  second_.reset();
}

}  // namespace gcsflux::internal
