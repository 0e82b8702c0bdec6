#pragma once

#include <chrono>
#include <mutex>

#include "base/fork.h"
#include "gcsflux/retry_options.h"
#include "retry/operation_kind.h"

namespace gcsflux::internal {

/// Keeps a client whose every request fails from multiplying its load: repetitions are paid for by first attempts, and
/// by time. Thread-safe.
class RetryBudget {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// `share` of the first attempts may be repeated.
  explicit RetryBudget(double share) : share_(share) {}

  void OnFirstAttempt();
  /// Takes a repetition, and returns how long it has to wait until it is paid for: 0 where it is.
  std::chrono::nanoseconds Take(TimePoint now);

 private:
  static constexpr double kPerSecond = 10;  // so that few threads are never held up
  static constexpr double kMost = 100;      // of it saved up, for a burst of failures

  const double share_;
  ForkSafeMutex mutex_;  // guards what follows
  double saved_ = kMost;
  TimePoint refilled_ = {};
};

/// One for each policy.
class RetryBudgets {
 public:
  explicit RetryBudgets(const RetryPolicies& policies)
      : list_(policies.list.budget),
        download_(policies.download.budget),
        upload_(policies.upload.budget),
        metadata_(policies.metadata.budget) {}

  RetryBudget& Of(OperationKind kind);

 private:
  RetryBudget list_;
  RetryBudget download_;
  RetryBudget upload_;
  RetryBudget metadata_;
};

}  // namespace gcsflux::internal
