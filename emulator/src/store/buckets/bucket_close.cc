// How a bucket ends: for good, or so that it can be restored.

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "store/buckets/bucket.h"
#include "store/buckets/bucket_commit.h"

namespace gcsflux::emulator {

Outcome<void> Bucket::Close(const Preconditions& preconditions, Time now) {
  const std::scoped_lock lock(mutex_);
  if (auto closable = CheckClosableLocked(preconditions); !closable) return closable;
  is_closed_ = true;
  if (BucketInfoPtr deleted = SoftDeletedInfoLocked(now)) info_ = std::move(deleted);
  return {};
}

Outcome<NameLocks::Hold> Bucket::PrepareClose(const Preconditions& preconditions, Time now) {
  NameLocks::Hold hold = HoldAll();
  if (!log_) return hold;
  std::unique_lock lock(mutex_);
  if (auto closable = CheckClosableLocked(preconditions); !closable) return tl::unexpected(closable.error());
  const BucketInfoPtr deleted = SoftDeletedInfoLocked(now);
  const auto written = CommitUnlocked(lock, [&] {
    if (deleted == nullptr) return log_.EraseBucket();
    Change change = log_.EraseUploads();
    change.push_back(log_.Put(*deleted));
    return change;
  });
  if (!written) return tl::unexpected(written.error());
  return hold;
}

Outcome<void> Bucket::CheckClosableLocked(const Preconditions& preconditions) const {
  if (auto held = CheckPreconditions(preconditions, *info_); !held) return held;
  const bool has_computed = computed_ != nullptr && computed_->count() != 0;
  if (objects_.empty() && noncurrent_.empty() && folders_.empty() && !has_computed) return {};
  return Fail(FailureKind::kConflict, "The bucket you tried to delete is not empty.");
}

// The description of the bucket once it is soft-deleted. Null if it has no such policy.
BucketInfoPtr Bucket::SoftDeletedInfoLocked(Time now) const {
  if (!HasSoftDelete(*info_) || computed_ != nullptr) return nullptr;
  auto deleted = std::make_shared<BucketInfo>(*info_);
  const Time end = std::max(now + info_->soft_delete->retention, soft_deleted_.last_hard_delete());
  deleted->soft_deletion = SoftDeletion{now, end};
  return deleted;
}

}  // namespace gcsflux::emulator
