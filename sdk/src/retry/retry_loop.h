#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/carried_secrets.h"
#include "base/for_ever.h"
#include "base/timing.h"
#include "events/billing.h"
#include "events/observer.h"
#include "gcsflux/result.h"
#include "gcsflux/retry_options.h"
#include "retry/idempotency_tokens.h"
#include "retry/operation_kind.h"
#include "retry/retry_budget.h"

namespace gcsflux::internal {

/// What a call is, for its retries and its messages.
struct Call {
  OperationName operation = {};
  std::string subject = {};  ///< "gs://bucket/name [0, 4096)".
  OperationKind kind = OperationKind::kReadMetadata;
  std::string bucket = {};  ///< Empty where it is about none.
  bool is_idempotent = false;
  std::optional<RetryOptions> retry = {};  ///< The client's policy for the kind unless set.
  std::stop_token stop = {};
  /// What its requests have carried that no message may show. Noted by who sends them; used by the call's thread.
  mutable CarriedSecrets secrets = {};
};

/// The error with the call's name before its message, and without what the call's requests carried: every message of a
/// call is made here or by Attempts.
Error InCall(const Call& call, Error error);

/// By what rules a call is repeated. All of it must outlive the call.
struct RetryRules {
  const RetryOptions& options;
  const Timing& timing;
  RetryBudget* budget = nullptr;  ///< Null for none.
  ThrottlePolicy throttle_policy = ThrottlePolicy::kGate;
  Observer* observer = nullptr;  ///< Null for none.
};

/// The attempts of one call, as a reader of its history sees them. Used by one thread.
class Attempts {
 public:
  Attempts(const Call& call, const RetryRules& rules);

  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] Timing::TimePoint now() const { return rules_.timing.Now(); }
  [[nodiscard]] const RetryOptions& options() const { return rules_.options; }
  /// No attempt begins after it; it moves on with progress.
  [[nodiscard]] Timing::TimePoint deadline() const { return progress_ + InNanoseconds(rules_.options.deadline); }
  /// The number of the attempt under way, from 1.
  [[nodiscard]] int number() const { return number_; }
  /// For events about the attempt under way. Borrowed from this and its call.
  [[nodiscard]] CallInfo info() const;
  /// By what name the service hears of the call: kept where somebody listens.
  void SetInvocationId(const std::string& id);
  /// By what tokens the service knows the call's requests.
  [[nodiscard]] IdempotencyTokens& tokens() { return tokens_; }
  /// An attempt before this one may have taken effect, though it failed.
  [[nodiscard]] bool was_ambiguous() const { return was_ambiguous_; }
  /// Something was achieved that later attempts build on: the deadline and the delays start over.
  void NoteProgress();

  /// The call's place in line at the gates, the same for all its attempts; nothing before the first SetTicket().
  [[nodiscard]] std::optional<std::uint64_t> ticket() const { return ticket_; }
  void SetTicket(std::uint64_t ticket) { ticket_ = ticket; }
  /// The attempt under way was throttled, and the gate says how long to stay away from it. Not called where no gate is
  /// in charge of what happened.
  void SetGateDelay(std::chrono::nanoseconds delay) { gate_delay_ = delay; }

  /// The policy allows another attempt after the one under way.
  [[nodiscard]] bool may_follow() const { return number_ < rules_.options.max_attempts; }

  /// What the attempt under way has failed with can be mended, or be an accident: it is sent anew at once, under the
  /// next number. True once in a call for each kind of failure.
  bool StartOver(Error cause);

  /// A second request is sent beside that of the attempt under way, under a number of its own.
  void CountSecond() { ++number_; }

  /// Whatever the attempt under way fails with, no other follows.
  void GiveUp() { is_hopeless_ = true; }

  /// Takes the failure of the attempt under way. Waits and returns nothing when another is due; else the call's error,
  /// complete with its history and what to do about it.
  std::optional<Error> Failed(Error error);

 private:
  struct Delay {
    std::chrono::nanoseconds all{0};
    std::chrono::nanoseconds by_budget{0};  // how much of it is not due to anything else
  };
  Delay NextDelay(const Error& error);
  void Remember(const Error& error);
  [[nodiscard]] Error Final(const Error& error, std::string_view why_final) const;
  [[nodiscard]] std::string History(const Error& last) const;
  [[nodiscard]] std::string OfBudget(std::chrono::nanoseconds next) const;

  struct Cause {
    std::string text = {};
    int times = 0;
  };

  const Call& call_;
  const RetryRules rules_;
  const Timing::TimePoint start_;
  Timing::TimePoint progress_;
  int number_ = 1;
  int failures_ = 0;  // Since the last progress.
  std::chrono::nanoseconds last_delay_{0};
  std::chrono::nanoseconds held_by_budget_{0};  // in all
  std::string invocation_id_;
  IdempotencyTokens tokens_;
  std::optional<std::uint64_t> ticket_;
  std::optional<std::chrono::nanoseconds> gate_delay_;
  bool was_ambiguous_ = false;
  bool is_hopeless_ = false;
  std::vector<ErrorCode> started_over_after_;
  std::vector<Cause> causes_;  // of all failures, each once, in the order in which they first came
};

/// Calls `attempt(attempts)`, which returns a Result, until it succeeds or fails for good.
template <class Attempt>
auto RetryLoop(const Call& call, const RetryRules& rules, Attempt attempt)
    -> decltype(attempt(std::declval<Attempts&>())) {
  Attempts attempts(call, rules);
  while (true) {
    auto result = attempt(attempts);
    if (result.ok()) return result;
    if (auto error = attempts.Failed(result.error())) return *std::move(error);
  }
}

}  // namespace gcsflux::internal
