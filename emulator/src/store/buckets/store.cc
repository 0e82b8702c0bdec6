#include "store/buckets/store.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include "store/objects/names.h"

namespace gcsflux::emulator {

Store::Store(TimeSource clock, std::chrono::seconds default_soft_delete, ChangeLog* log)
    : clock_(std::move(clock)), default_soft_delete_(default_soft_delete), log_(log) {}

Outcome<BucketInfo> Store::InsertBucket(BucketInfo info, std::shared_ptr<const ObjectSource> computed) {
  if (auto valid = CheckBucketName(info.name); !valid) return tl::unexpected(valid.error());
  info.time_created = info.updated = clock_();
  info.generation = NextGeneration();
  if (!info.soft_delete) info.soft_delete = SoftDeletePolicy{default_soft_delete_, info.time_created};
  const auto conflict = [] {
    return Fail(FailureKind::kConflict,
                "Your previous request to create the named bucket succeeded and you already own it.");
  };
  NameLocks::Hold hold;
  BucketLog log;
  if (log_ != nullptr && computed == nullptr) {
    hold = names_.Lock({info.name});
    if (FindBucket(info.name)) return conflict();
    log = {log_, ++last_number_};
    if (auto written = log_->Commit({log.Put(info)}); !written) return tl::unexpected(written.error());
  }
  auto bucket = std::make_shared<Bucket>(info, clock_, std::move(computed), log);
  const std::scoped_lock lock(mutex_);
  if (!buckets_.emplace(info.name, std::move(bucket)).second) return conflict();
  return info;
}

std::shared_ptr<Bucket> Store::AdoptBucket(BucketInfo info, std::uint64_t number) {
  last_number_ = std::max<std::uint64_t>(last_number_, number);
  if (info.generation == 0) info.generation = Microseconds(info.time_created);  // from before there were such
  last_generation_ = std::max<std::int64_t>(last_generation_, info.generation);
  auto bucket = std::make_shared<Bucket>(std::move(info), clock_, nullptr, BucketLog{log_, number});
  const BucketInfoPtr shown = bucket->info();
  const std::scoped_lock lock(mutex_);
  if (shown->soft_deletion) {
    deleted_.insert_or_assign({shown->name, shown->generation}, bucket);
  } else {
    buckets_.insert_or_assign(shown->name, bucket);
  }
  return bucket;
}

// As of objects: microseconds, and no two are the same.
std::int64_t Store::NextGeneration() {
  const std::int64_t now = Microseconds(clock_());
  std::int64_t last = last_generation_;
  while (!last_generation_.compare_exchange_weak(last, std::max(last + 1, now))) {
  }
  return std::max(last + 1, now);
}

Outcome<std::shared_ptr<Bucket>> Store::FindBucket(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = buckets_.find(name);
  if (found == buckets_.end()) return Fail(FailureKind::kNotFound, "The specified bucket does not exist.");
  return found->second;
}

BucketPage Store::ListBuckets(const BucketQuery& query) const {
  BucketPage page;
  const std::shared_lock lock(mutex_);
  const bool goes_on = query.after && *query.after >= query.prefix;
  auto at = goes_on ? buckets_.upper_bound(*query.after) : buckets_.lower_bound(query.prefix);
  for (; at != buckets_.end() && at->first.starts_with(query.prefix); ++at) {
    if (page.buckets.size() == query.max_results) {
      page.next = page.buckets.back().name;
      break;
    }
    page.buckets.push_back(*at->second->info());
  }
  return page;
}

Outcome<void> Store::DeleteBucket(std::string_view name, const Preconditions& preconditions) {
  const auto hold = log_ != nullptr ? names_.Lock({std::string(name)}) : NameLocks::Hold();
  const auto bucket = FindBucket(name);
  if (!bucket) return tl::unexpected(bucket.error());
  const Time now = clock_();
  const auto prepared = (*bucket)->PrepareClose(preconditions, now);
  if (!prepared) return tl::unexpected(prepared.error());
  const std::scoped_lock lock(mutex_);
  const auto found = buckets_.find(name);
  if (found == buckets_.end()) return Fail(FailureKind::kNotFound, "The specified bucket does not exist.");
  if (auto closed = found->second->Close(preconditions, now); !closed) return closed;
  const BucketInfoPtr info = found->second->info();
  if (info->soft_deletion) deleted_.emplace(Generation(info->name, info->generation), found->second);
  buckets_.erase(found);
  return {};
}

StoreUsage Store::usage() const {
  const std::shared_lock lock(mutex_);
  StoreUsage usage{.buckets = buckets_.size()};
  const auto add = [&](const Bucket& bucket) {
    const BucketUsage of_bucket = bucket.usage();
    usage.objects += of_bucket.objects;
    usage.bytes += of_bucket.bytes;
  };
  for (const auto& [name, bucket] : buckets_) add(*bucket);
  for (const auto& [generation, bucket] : deleted_) add(*bucket);
  return usage;
}

Outcome<void> Store::Clear() {
  NameLocks::Hold hold;
  if (log_ != nullptr) {
    hold = names_.LockAll();
    if (auto written = log_->Commit(EraseBuckets()); !written) return written;
  }
  Buckets forgotten;  // destroyed after the lock is released: freeing may take a while
  DeletedBuckets forgotten_deleted;
  const std::scoped_lock lock(mutex_);
  buckets_.swap(forgotten);
  deleted_.swap(forgotten_deleted);
  return {};
}

}  // namespace gcsflux::emulator
