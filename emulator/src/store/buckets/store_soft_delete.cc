// Buckets that are deleted and can be restored: https://cloud.google.com/storage/docs/use-soft-deleted-buckets

#include <mutex>
#include <utility>

#include "store/buckets/store.h"

namespace gcsflux::emulator {
namespace {

bool IsOver(const Bucket& deleted, Time now) { return deleted.info()->soft_deletion->hard_delete <= now; }

tl::unexpected<Failure> NoSuchBucket() { return Fail(FailureKind::kNotFound, "The specified bucket does not exist."); }

}  // namespace

std::shared_ptr<Bucket> Store::FindSoftDeletedAt(const Generation& generation) const {
  const std::shared_lock lock(mutex_);
  const auto found = deleted_.find(generation);
  return found != deleted_.end() ? found->second : nullptr;
}

// Null if there is none, or if its time has passed.
std::shared_ptr<Bucket> Store::FindSoftDeleted(const Generation& generation) const {
  std::shared_ptr<Bucket> found = FindSoftDeletedAt(generation);
  return found != nullptr && !IsOver(*found, clock_()) ? found : nullptr;
}

Outcome<BucketInfo> Store::GetSoftDeletedBucket(const std::string& name, std::int64_t generation) const {
  const std::shared_ptr<Bucket> found = FindSoftDeleted({name, generation});
  if (found == nullptr) return NoSuchBucket();
  return *found->info();
}

BucketPage Store::ListSoftDeletedBuckets(const BucketQuery& query) const {
  BucketPage page;
  const Time now = clock_();
  const std::shared_lock lock(mutex_);
  const bool goes_on = query.after && *query.after >= query.prefix;
  auto at = goes_on ? deleted_.upper_bound({*query.after, query.after_generation})
                    : deleted_.lower_bound({query.prefix, INT64_MIN});
  for (; at != deleted_.end() && at->first.first.starts_with(query.prefix); ++at) {
    if (IsOver(*at->second, now)) continue;
    if (page.buckets.size() == query.max_results) {
      page.next = page.buckets.back().name;
      break;
    }
    page.buckets.push_back(*at->second->info());
  }
  return page;
}

Outcome<BucketInfo> Store::RestoreBucket(const std::string& name, std::int64_t generation) {
  const auto hold = log_ != nullptr ? names_.Lock({name}) : NameLocks::Hold();
  const std::shared_ptr<Bucket> deleted = FindSoftDeleted({name, generation});
  if (deleted == nullptr) return NoSuchBucket();
  const auto conflict = [] { return Fail(FailureKind::kConflict, "A live bucket with this name exists already."); };
  if (FindBucket(name)) return conflict();
  const BucketSnapshot snapshot = deleted->Capture();
  BucketInfo info = *snapshot.info;
  info.soft_deletion = std::nullopt;
  const BucketLog log = deleted->log();
  if (log) {
    if (auto written = log_->Commit({log.Put(info)}); !written) return tl::unexpected(written.error());
  }
  auto restored = std::make_shared<Bucket>(info, clock_, nullptr, log);
  for (const ObjectPtr& object : snapshot.soft_deleted) restored->Adopt(object, /*is_live=*/false);
  const std::scoped_lock lock(mutex_);
  if (!buckets_.emplace(name, std::move(restored)).second) return conflict();
  deleted_.erase({name, generation});
  return info;
}

void Store::DropExpired() {
  std::vector<std::shared_ptr<Bucket>> over;
  {
    const Time now = clock_();
    const std::shared_lock lock(mutex_);
    for (const auto& [generation, bucket] : deleted_) {
      if (IsOver(*bucket, now)) over.push_back(bucket);
    }
  }
  for (const std::shared_ptr<Bucket>& bucket : over) {
    const BucketInfoPtr info = bucket->info();
    const auto hold = log_ != nullptr ? names_.Lock({info->name}) : NameLocks::Hold();
    if (FindSoftDeletedAt({info->name, info->generation}) != bucket) continue;  // restored meanwhile
    // Without space it stays until another time.
    if (bucket->log() && !log_->Commit(bucket->log().EraseBucket())) continue;
    const std::scoped_lock lock(mutex_);
    deleted_.erase({info->name, info->generation});
  }
  for (const std::shared_ptr<Bucket>& bucket : buckets()) bucket->DropExpired();
}

std::vector<std::shared_ptr<Bucket>> Store::buckets() const {
  std::vector<std::shared_ptr<Bucket>> buckets;
  const std::shared_lock lock(mutex_);
  buckets.reserve(buckets_.size());
  for (const auto& [name, bucket] : buckets_) buckets.push_back(bucket);
  return buckets;
}

}  // namespace gcsflux::emulator
