#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/timing.h"
#include "gcsflux/options.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// What a call is, for its retries and its messages.
struct Call {
  std::string_view operation;  ///< As GCS names it: "objects.get".
  std::string subject;         ///< "gs://bucket/name [0, 4096)".
  bool is_idempotent = false;
  std::stop_token stop = {};
};

/// The attempts of one call, as a reader of its history sees them. Used by one thread.
class Attempts {
 public:
  Attempts(const Call& call, const RetryOptions& options, const Timing& timing);

  /// The number of the attempt under way, from 1.
  [[nodiscard]] int number() const { return number_; }
  /// An attempt before this one may have taken effect, though it failed.
  [[nodiscard]] bool was_ambiguous() const { return was_ambiguous_; }
  /// Something was achieved that later attempts build on: the deadline and the delays start over.
  void NoteProgress();

  /// Takes the failure of the attempt under way. Waits and returns nothing when another is due; else the call's error,
  /// complete with its history and what to do about it.
  std::optional<Error> Failed(const Error& error);

 private:
  [[nodiscard]] Error Final(const Error& error, std::string_view why_final) const;

  const Call& call_;
  const RetryOptions& options_;
  const Timing& timing_;
  const Timing::TimePoint start_;
  Timing::TimePoint progress_;
  int number_ = 1;
  int failures_ = 0;  // Since the last progress.
  bool was_ambiguous_ = false;
};

/// Calls `attempt(attempts)`, which returns a Result, until it succeeds or fails for good.
template <class Attempt>
auto RetryLoop(const Call& call, const RetryOptions& options, const Timing& timing, Attempt attempt)
    -> decltype(attempt(std::declval<Attempts&>())) {
  Attempts attempts(call, options, timing);
  while (true) {
    auto result = attempt(attempts);
    if (result.ok()) return result;
    if (auto error = attempts.Failed(result.error())) return *std::move(error);
  }
}

}  // namespace gcsflux::internal
