#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/carried_secrets.h"
#include "base/exceptions_as_errors.h"
#include "base/process/no_time_limit.h"
#include "base/timing.h"
#include "events/billing.h"
#include "events/observer.h"
#include "gcsflux/options.h"
#include "gcsflux/result.h"
#include "retry/idempotency_tokens.h"
#include "retry/operation_kind.h"
#include "retry/retry_budget.h"

namespace gcsflux::internal {

/// The description of a call, for its retries and its messages.
struct Call {
  OperationName operation = {};
  std::string subject = {};  ///< "gs://bucket/name [0, 4096)".
  OperationKind kind = OperationKind::kReadMetadata;
  std::string bucket = {};  ///< Empty if the call is about no bucket.
  bool is_idempotent = false;
  std::optional<RetryOptions> retry = {};  ///< If absent, the client's policy for the kind.
  std::stop_token stop = {};
  /// Secrets in its requests, which no message may show. The code that sends them adds them; used by the call's thread.
  mutable CarriedSecrets secrets = {};
};

/// The error with the call's name before its message, and without the secrets of its requests. Every message of a call
/// is made here or by Attempts.
Error InCall(const Call& call, Error error);

/// The rules for retries of a call. All members must outlive the call.
struct RetryRules {
  const RetryOptions& options;
  const Timing& timing;
  RetryBudget* budget = nullptr;  ///< Null for none.
  Observer* observer = nullptr;   ///< Null for none.
};

/// The attempts of one call, and their history. Used by one thread.
class Attempts {
 public:
  Attempts(const Call& call, const RetryRules& rules);

  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] Timing::TimePoint now() const { return rules_.timing.Now(); }
  [[nodiscard]] const RetryOptions& options() const { return rules_.options; }
  /// No attempt begins after it. Progress moves it.
  [[nodiscard]] Timing::TimePoint deadline() const { return progress_ + InNanoseconds(rules_.options.deadline); }
  /// The number of the present attempt, from 1.
  [[nodiscard]] int number() const { return number_; }
  /// An event about the present attempt. Borrowed from this and its call.
  [[nodiscard]] Event Of(EventKind kind) const;
  /// The service's name for the call; kept only if there is a listener.
  void SetInvocationId(const std::string& id);
  /// The tokens by which the service recognises the call's requests.
  [[nodiscard]] IdempotencyTokens& tokens() { return tokens_; }
  /// An earlier attempt may have taken effect, although it failed.
  [[nodiscard]] bool was_ambiguous() const { return was_ambiguous_; }

  /// A request that was sent may have taken effect, or may still do so. The call's error says so, whatever the answers
  /// to later attempts are.
  [[nodiscard]] bool may_be_stored() const { return may_be_stored_; }
  void SetMayBeStored(bool may_be) { may_be_stored_ = may_be; }
  /// The call has made progress on which later attempts build: the deadline and the delays start again.
  void NoteProgress();

  /// The call's place in the gates' queues, the same for all its attempts. Nothing before the first SetTicket().
  [[nodiscard]] std::optional<std::uint64_t> ticket() const { return ticket_; }
  void SetTicket(std::uint64_t ticket) { ticket_ = ticket; }
  /// The present attempt was throttled; the gate determines the wait. Not called if no gate is used.
  void SetGateDelay(std::chrono::nanoseconds delay) { gate_delay_ = delay; }

  /// The policy allows another attempt after the present one.
  [[nodiscard]] bool may_follow() const { return number_ < rules_.options.max_attempts; }

  /// The present attempt failed for a reason that can be repaired or was an accident: it is sent again at once, with
  /// the next number. Returns true once in a call for each kind of failure.
  bool StartOver(Error cause);

  /// A second request is sent beside that of the present attempt, with its own number.
  void CountSecond() { ++number_; }

  /// If the present attempt fails, no other one follows.
  void GiveUp() { is_hopeless_ = true; }

  /// Handles the failure of the present attempt. If another attempt is due, waits and returns nothing. Otherwise
  /// returns the call's error, with its history and what to do about it.
  std::optional<Error> Failed(Error error);

 private:
  struct Delay {
    std::chrono::nanoseconds all{0};
    std::chrono::nanoseconds by_budget{0};  // the part that only the budget causes
  };
  Delay NextDelay(const Error& error);
  void Remember(const Error& error);
  void Report(EventKind kind, const Error& error, std::chrono::nanoseconds duration = {}) const;
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
  int failures_ = 0;                            // Since the last progress.
  std::chrono::nanoseconds held_by_budget_{0};  // in all
  std::string invocation_id_;
  IdempotencyTokens tokens_;
  std::optional<std::uint64_t> ticket_;
  std::optional<std::chrono::nanoseconds> gate_delay_;
  bool was_ambiguous_ = false;
  bool may_be_stored_ = false;
  bool is_hopeless_ = false;
  std::vector<ErrorCode> started_over_after_;
  std::vector<Cause> causes_;  // of all failures, each once, in order of their first occurrence
};

/// Calls `attempt(attempts)`, which returns a Result, until it succeeds or fails for good. An exception of an attempt
/// is its error.
template <class Attempt>
auto RetryLoop(const Call& call, const RetryRules& rules, Attempt attempt)
    -> decltype(attempt(std::declval<Attempts&>())) {
  Attempts attempts(call, rules);
  while (true) {
    auto result = ExceptionsAsErrors([&] { return attempt(attempts); });
    if (result) return result;
    if (auto error = attempts.Failed(result.error())) return *std::move(error);
  }
}

}  // namespace gcsflux::internal
