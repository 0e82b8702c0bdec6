#pragma once

#include <chrono>
#include <mutex>

#include "base/process/mutex.h"
#include "gcsflux/options.h"
#include "retry/operation_kind.h"

namespace gcsflux::internal {

/// Prevents a client whose requests all fail from multiplying its load: first attempts and time earn retries.
/// Thread-safe.
class RetryBudget {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// `share` is how many retries a first attempt earns.
  explicit RetryBudget(double share) : share_(share) {}

  void OnFirstAttempt();
  /// Spends a retry. Returns how long it waits until it is earned; 0 if it is.
  std::chrono::nanoseconds Take(TimePoint now);

 private:
  static constexpr double kPerSecond = 10;  // so that a few threads are never delayed
  static constexpr double kMost = 100;      // collected, for a burst of failures

  const double share_;
  LeafMutex mutex_;
  double saved_ GUARDED_BY(mutex_) = kMost;
  TimePoint refilled_ GUARDED_BY(mutex_) = {};
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
