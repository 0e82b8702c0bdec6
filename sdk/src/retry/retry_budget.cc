#include "retry/retry_budget.h"

#include <algorithm>

namespace gcsflux::internal {

using Seconds = std::chrono::duration<double>;

void RetryBudget::OnFirstAttempt() {
  const MutexLock lock(mutex_);
  saved_ = std::min(kMost, saved_ + share_);
}

std::chrono::nanoseconds RetryBudget::Take(TimePoint now) {
  const MutexLock lock(mutex_);
  saved_ = std::min(kMost, saved_ + Seconds(now - refilled_).count() * kPerSecond);
  refilled_ = now;
  saved_ -= 1;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Seconds(std::max(0.0, -saved_) / kPerSecond));
}

RetryBudget& RetryBudgets::Of(OperationKind kind) {
  switch (kind) {
    case OperationKind::kList: return list_;
    case OperationKind::kDownload: return download_;
    case OperationKind::kUpload: return upload_;
    case OperationKind::kReadMetadata:
    case OperationKind::kWriteMetadata: break;
  }
  return metadata_;
}

}  // namespace gcsflux::internal
