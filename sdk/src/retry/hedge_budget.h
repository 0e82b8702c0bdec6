#pragma once

#include <algorithm>

#include "base/process/mutex.h"

namespace gcsflux::internal {

/// Limits second requests to a share of the first ones. Thread-safe.
class HedgeBudget {
 public:
  explicit HedgeBudget(double share) : share_(share) {}

  void OnRequest() {
    const MutexLock lock(mutex_);
    saved_ = std::min(saved_ + share_, kMost);
  }
  /// True if a second request may be sent; it is then subtracted from the budget.
  bool Take() {
    const MutexLock lock(mutex_);
    if (saved_ < 1) return false;
    saved_ -= 1;
    return true;
  }

 private:
  static constexpr double kMost = 64;  // collected, for a server that stalls many reads at once

  const double share_;
  LeafMutex mutex_;
  double saved_ GUARDED_BY(mutex_) = 0;
};

}  // namespace gcsflux::internal
