#include "retry/retry_loop.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "retry/backoff.h"
#include "retry/remedy.h"
#include "retry/throttle_cause.h"
#include "retry/transient.h"

namespace gcsflux::internal {
namespace {

std::string InSeconds(std::chrono::nanoseconds duration) {
  std::array<char, 32> text{};
  const double seconds = std::max(0.0, std::chrono::duration<double>(duration).count());
  const auto end = std::to_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed, 1).ptr;
  return std::string(text.data(), end) + " s";
}

Error Named(const Call& call, Error error) {
  error.message = std::string(call.operation.name) + " " + call.subject + ": " + error.message;
  return error;
}

}  // namespace

Error InCall(const Call& call, Error error) {
  call.secrets.HideIn(error);
  return Named(call, std::move(error));
}

Attempts::Attempts(const Call& call, const RetryRules& rules)
    : call_(call), rules_(rules), start_(rules.timing.Now()), progress_(start_) {
  if (rules_.budget != nullptr) rules_.budget->OnFirstAttempt();
  if (rules_.observer != nullptr) rules_.observer->CallBegan();
}

Event Attempts::Of(EventKind kind) const {
  return {.kind = kind,
          .operation = call_.operation.name,
          .subject = call_.subject,
          .bucket = call_.bucket,
          .invocation_id = invocation_id_,
          .attempt = number_};
}

void Attempts::Report(EventKind kind, const Error& error, std::chrono::nanoseconds duration) const {
  if (rules_.observer == nullptr) return;
  Event event = Of(kind);
  event.error = &error;
  event.duration = duration;
  rules_.observer->Report(event);
}

void Attempts::SetInvocationId(const std::string& id) {
  if (rules_.observer != nullptr && rules_.observer->is_heard()) invocation_id_ = id;
}

bool Attempts::StartOver(Error cause) {
  if (std::find(started_over_after_.begin(), started_over_after_.end(), cause.code) != started_over_after_.end()) {
    return false;
  }
  started_over_after_.push_back(cause.code);
  call_.secrets.HideIn(cause);
  Report(EventKind::kRetry, cause);
  ++number_;
  return true;
}

void Attempts::NoteProgress() {
  progress_ = rules_.timing.Now();
  failures_ = 0;
}

Attempts::Delay Attempts::NextDelay(const Error& error) {
  const Timing& timing = rules_.timing;
  const bool is_throttled =
      error.code == ErrorCode::kRateLimited && CauseOfThrottling(error) != ThrottleCause::kObjectMutation;
  // The second request may have been throttled, and the attempt may have failed for another reason.
  const auto gate_delay = std::exchange(gate_delay_, std::nullopt);
  auto delay = is_throttled ? gate_delay : std::nullopt;
  std::chrono::nanoseconds unpaid(0);  // until the budget allows it
  if (!delay) {                        // no gate paces the next request: it waits on its own
    delay = BackoffDelay(rules_.options, failures_, timing.Random());
    if (!is_throttled && rules_.budget != nullptr) unpaid = rules_.budget->Take(timing.Now());
  }
  if (error.retry_after) {  // The service's wish, spread so that not all clients return at once.
    const std::chrono::duration<double> wished = *error.retry_after * (1 + 0.2 * timing.Random());
    delay = std::max(*delay, InNanoseconds(wished));
  }
  return {.all = std::max(*delay, unpaid), .by_budget = std::max(unpaid - *delay, std::chrono::nanoseconds(0))};
}

std::optional<Error> Attempts::Failed(Error error) {
  call_.secrets.HideIn(error);
  Remember(error);
  if (!IsTransient(error) || is_hopeless_) return Final(error, "");
  if (!call_.is_idempotent) return Final(error, "not repeated: without a precondition it could take effect twice");
  if (number_ >= rules_.options.max_attempts) return Final(error, "no attempts left");
  ++failures_;
  was_ambiguous_ = was_ambiguous_ || IsAmbiguous(error);
  const auto [delay, by_budget] = NextDelay(error);
  if (rules_.timing.Now() + delay >= deadline()) {
    return Final(error, "deadline " + InSeconds(rules_.options.deadline) + "; to wait longer raise --" +
                            std::string(PolicyNameOf(call_.kind)) + "_retry_deadline_s, RetryOptions::deadline" +
                            OfBudget(by_budget));
  }
  held_by_budget_ += by_budget;
  Report(EventKind::kRetry, error, delay);
  if (by_budget.count() > 0) Report(EventKind::kBudget, error, by_budget);
  if (delay.count() > 0 && !rules_.timing.Wait(delay, call_.stop)) {
    return Final(Error{ErrorCode::kCancelled, "cancelled while waiting to repeat: " + error.message}, "");
  }
  ++number_;
  return std::nullopt;
}

void Attempts::Remember(const Error& error) {
  const auto same =
      std::find_if(causes_.begin(), causes_.end(), [&](const Cause& cause) { return cause.text == error.message; });
  if (same != causes_.end()) {
    ++same->times;
  } else if (constexpr std::size_t kMost = 8; causes_.size() < kMost) {
    causes_.push_back({error.message, 1});
  }
}

// How the budget contributed to the end of the attempts; `next` is how long it would delay the next one.
std::string Attempts::OfBudget(std::chrono::nanoseconds next) const {
  if (held_by_budget_.count() == 0 && next.count() == 0) return "";
  std::string text = "; the client's retry budget held it up for " + InSeconds(held_by_budget_);
  if (next.count() > 0) text += " and would for another " + InSeconds(next);
  return text + ": so many requests fail; raise --" + std::string(PolicyNameOf(call_.kind)) +
         "_retry_budget, RetryOptions::budget, where failures are independent";
}

// The other failures, if the last one is not the only one.
std::string Attempts::History(const Error& last) const {
  std::string history;
  for (const Cause& cause : causes_) {
    if (cause.text == last.message) continue;
    history += (history.empty() ? "; before: " : ", ") + std::to_string(cause.times) + " x " + cause.text;
  }
  return history;
}

Error Attempts::Final(const Error& error, std::string_view why_final) const {
  Error final = Named(call_, error);
  if (may_be_stored_ && final.outcome == WriteOutcome::kNotStored) final.outcome = WriteOutcome::kUnknown;
  if (number_ > 1) {
    final.message += " after " + std::to_string(number_) + " attempts in " + InSeconds(rules_.timing.Now() - start_);
  }
  if (!why_final.empty()) final.message += " (" + std::string(why_final) + ")";
  final.message += History(error);
  if (const auto remedy = Remedy(error, call_.subject, was_ambiguous_); !remedy.empty()) {
    final.message += "; " + std::string(remedy);
  }
  const bool looks_refused = !IsAmbiguous(error) && error.code != ErrorCode::kOutcomeUnknown;
  if (final.outcome == WriteOutcome::kUnknown && was_ambiguous_ && looks_refused) {
    final.message += "; an earlier attempt, whose answer was lost, may have taken effect";
  }
  Report(EventKind::kFailure, final);
  return final;
}

}  // namespace gcsflux::internal
