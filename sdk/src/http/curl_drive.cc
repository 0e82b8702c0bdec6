#include "http/curl_drive.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/for_ever.h"
#include "base/fork.h"
#include "base/leaf_stop_callback.h"
#include "base/own_descriptors.h"
#include "http/curl_error.h"

namespace gcsflux::internal {

CurlDrive::Side::Side(const CurlDrive& drive, CURL* with, const HttpRequest& request, CurlRace& race, bool is_second)
    : multi(drive.multi_),
      easy(with),
      movement(request.movement),
      exchange(with, request, drive.receiver_, race, is_second) {
  const NoFork no_fork;
  drive.settings_.Prepare(easy, request);
  exchange.Prepare();
  if (curl_multi_add_handle(multi, easy) != CURLM_OK) outcome = Error{ErrorCode::kUnavailable, "libcurl failed"};
}

CurlDrive::Side::~Side() {
  if (movement != nullptr) *movement = exchange.Moved();
  const NoFork no_fork;
  curl_multi_remove_handle(multi, easy);
}

Result<HttpResponse> CurlDrive::Run(CURL* easy, const HttpRequest& request, const std::stop_token& stop) {
  const UsesOwnDescriptors uses;
  first_ = std::make_unique<Side>(*this, easy, request, race_, /*is_second=*/false);
  auto result = Loop(stop);
  second_.reset();
  first_.reset();
  return result;
}

Result<HttpResponse> CurlDrive::Loop(const std::stop_token& stop) {
  const LeafStopCallback wake(stop, [this] { curl_multi_wakeup(multi_); });
  while (true) {
    if (!Advance()) return Error{ErrorCode::kUnavailable, "libcurl failed"};
    if (made_in_.IsInChild()) return ForkedError("the request");
    TakeOutcomes();
    auto patience = EndStandstill(*first_);
    if (second_) patience = std::min(patience, EndStandstill(*second_));
    if (auto decided = Decide()) return *std::move(decided);
    if (stop.stop_requested()) break;
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(std::min(LookOn(), patience));
    curl_multi_poll(multi_, nullptr, 0, static_cast<int>(wait.count()), nullptr);
  }
  const Error cancelled{ErrorCode::kCancelled, "cancelled by its stop_token"};
  if (second_) SecondFailed(cancelled);
  return cancelled;
}

// What goes on in libcurl and OpenSSL is whole at a fork; guests that are called from within allow one.
bool CurlDrive::Advance() {
  const NoFork no_fork;
  int running = 0;
  return curl_multi_perform(multi_, &running) == CURLM_OK;
}

void CurlDrive::TakeOutcomes() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    Side& side = first_->easy == message->easy_handle ? *first_ : *second_;
    side.outcome = side.exchange.Finish(message->data.result);
  }
}

// Drops whichever side has lost; the call's result when there is nothing more to wait for.
std::optional<Result<HttpResponse>> CurlDrive::Decide() {
  if (second_ && race_.leader == &second_->exchange) {
    first_ = std::move(second_);
    first_easy_ = std::move(second_easy_);
    race_.is_on = false;
    watch_->OnSecondWon();
  } else if (second_ && race_.leader == &first_->exchange) {
    SecondFailed(Error{ErrorCode::kCancelled, "the first answer came"});
  } else if (second_ && second_->outcome) {
    SecondFailed(*std::move(second_->outcome));
  }
  if (second_ || !first_->outcome) return std::nullopt;
  return std::move(first_->outcome);
}

// The watch may end what its request borrows: the exchange goes first.
void CurlDrive::SecondFailed(Result<HttpResponse> outcome) {
  second_.reset();
  second_easy_.reset();
  race_.is_on = false;
  watch_->OnSecondFailed(outcome);
}

// Sends a second request beside one that is overdue, where the watch gives one. Returns how long nothing is to be
// looked at unless something comes.
std::chrono::nanoseconds CurlDrive::LookOn() {
  constexpr std::chrono::seconds kLongest{1};  // libcurl's own time-outs are looked at then.
  if (watch_ == nullptr || second_) return kLongest;
  const auto left = watch_->TimeLeft();
  if (!left) return kLongest;
  if (left->count() > 0) return std::min<std::chrono::nanoseconds>(*left, kLongest);
  if (const HttpRequest* const request = watch_->OnOverdue()) StartSecond(*request);
  return std::chrono::nanoseconds(0);
}

// Makes it the outcome of an exchange that it stands still. Returns how long that is not to be looked at.
std::chrono::nanoseconds CurlDrive::EndStandstill(Side& side) const {
  if (side.outcome || !side.exchange.HasBegun()) return std::chrono::nanoseconds::max();
  const auto now = std::chrono::steady_clock::now();
  if (!side.standstill) side.standstill.emplace(InNanoseconds(settings_.options().stall_timeout), now);
  const auto left = side.standstill->Left(side.exchange.Moved(), now);
  if (left.count() > 0) return left;
  side.outcome = StandstillError(side.easy);
  return std::chrono::nanoseconds(0);
}

void CurlDrive::StartSecond(const HttpRequest& request) {
  second_easy_ = settings_.MakeEasy();
  if (!second_easy_) return watch_->OnSecondFailed(Error{ErrorCode::kUnavailable, "libcurl could not make a handle"});
  race_ = {.is_on = true};
  second_ = std::make_unique<Side>(*this, second_easy_.get(), request, race_, /*is_second=*/true);
}

}  // namespace gcsflux::internal
