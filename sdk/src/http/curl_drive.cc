#include "http/curl_drive.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/process/leaf_section.h"
#include "base/process/no_time_limit.h"
#include "base/process/owner_process.h"
#include "http/curl_error.h"

namespace gcsflux::internal {

CurlDrive::Side::Side(CurlDrive& drive, CURL* with, const HttpRequest& request, CurlRace& race, bool is_second)
    : multi(drive.driver_.multi),
      easy(with),
      statistics(request.statistics),
      exchange(with, request, drive.receiver_, race, is_second) {
  const LeafSection leaf;
  drive.driver_.settings.Prepare(easy, request);
  exchange.Prepare();
  curl_easy_setopt(easy, CURLOPT_PRIVATE, &drive);
  if (curl_multi_add_handle(multi, easy) != CURLM_OK) outcome = Error{ErrorCode::kUnavailable, "libcurl failed"};
}

CurlDrive::Side::~Side() {
  if (statistics != nullptr) *statistics = exchange.Moved();
  const LeafSection leaf;
  curl_multi_remove_handle(multi, easy);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, nullptr);
}

CurlDrive::~CurlDrive() {
  second().reset();
  first().reset();
}

void CurlDrive::Start(CURL* easy, const HttpRequest& request) {
  first().emplace(*this, easy, request, race_, /*is_second=*/false);
}

CurlDrive* CurlDrive::Of(CURL* easy) {
  char* drive = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &drive);
  return reinterpret_cast<CurlDrive*>(drive);
}

void CurlDrive::TakeMessages(CURLM* multi) {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    if (CurlDrive* const drive = Of(message->easy_handle)) drive->OnMessage(message->easy_handle, message->data.result);
  }
}

void CurlDrive::OnMessage(CURL* easy, CURLcode code) {
  Side& side = first()->easy == easy ? *first() : *second();
  side.outcome = side.exchange.Finish(code);
  if (driver_.waiter != nullptr) driver_.waiter->Wake();
}

std::optional<Result<HttpResponse>> CurlDrive::Poll() {
  if (!owner_.IsCurrent()) return owner_.Refuse("the request");
  EndStandstill(*first());
  if (second()) EndStandstill(*second());
  if (auto decided = Decide()) return decided;
  StartSecondIfOverdue();
  return std::nullopt;
}

std::chrono::nanoseconds CurlDrive::Patience() {
  auto patience = StandstillLeft(*first());
  if (second()) return std::min(patience, StandstillLeft(*second()));
  if (watch_ == nullptr) return patience;
  return std::min(patience, watch_->TimeLeft().value_or(patience));
}

Error CurlDrive::Cancel() {
  Error cancelled{ErrorCode::kCancelled, "cancelled by its stop_token"};
  if (second()) SecondFailed(cancelled);
  return cancelled;
}

// Ends the losing side. Returns the call's result if there is nothing more to wait for.
std::optional<Result<HttpResponse>> CurlDrive::Decide() {
  if (second() && race_.leader == &second()->exchange) {
    first().reset();
    first_ = 1 - first_;
    first_easy_ = std::move(second_easy_);
    race_.is_on = false;
    watch_->OnSecondWon();
  } else if (second() && race_.leader == &first()->exchange) {
    SecondFailed(Error{ErrorCode::kCancelled, "the first answer came"});
  } else if (second() && second()->outcome) {
    const auto outcome = *std::move(second()->outcome);
    SecondFailed(outcome);
  }
  if (second() || !first()->outcome) return std::nullopt;
  return std::move(first()->outcome);
}

// The watch may destroy what its request borrows, so the exchange is destroyed first. `outcome` is no part of it.
void CurlDrive::SecondFailed(const Result<HttpResponse>& outcome) {
  second().reset();
  second_easy_.reset();
  race_.is_on = false;
  watch_->OnSecondFailed(outcome);
}

// How long the exchange may still be without statistics; no limit while this is not checked.
std::chrono::nanoseconds CurlDrive::StandstillLeft(Side& side) const {
  if (side.outcome || !side.exchange.HasBegun()) return kNoTimeLimit;
  const auto now = std::chrono::steady_clock::now();
  if (!side.standstill) side.standstill.emplace(InNanoseconds(driver_.settings.options().stall_timeout), now);
  return side.standstill->Left(side.exchange.Moved(), now);
}

void CurlDrive::EndStandstill(Side& side) const {
  if (StandstillLeft(side).count() <= 0) side.outcome = StandstillError(side.easy);
}

// Sends a second request beside an overdue one, if the watch returns one.
void CurlDrive::StartSecondIfOverdue() {
  if (watch_ == nullptr || second()) return;
  const auto left = watch_->TimeLeft();
  if (!left || left->count() > 0) return;
  const HttpRequest* const request = watch_->OnOverdue();
  if (request == nullptr) return;
  second_easy_ = driver_.settings.MakeEasy(driver_.sockets);
  if (!second_easy_) return watch_->OnSecondFailed(Error{ErrorCode::kUnavailable, "libcurl could not make a handle"});
  race_.leader = nullptr;
  race_.is_on = true;
  second().emplace(*this, second_easy_.get(), *request, race_, /*is_second=*/true);
}

}  // namespace gcsflux::internal
