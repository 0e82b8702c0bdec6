#include "store/buckets/store.h"

#include <mutex>
#include <utility>

#include "store/objects/names.h"

namespace gcsflux::emulator {

Store::Store(TimeSource clock, std::chrono::seconds default_soft_delete)
    : clock_(std::move(clock)), default_soft_delete_(default_soft_delete) {}

Outcome<BucketInfo> Store::InsertBucket(BucketInfo info, std::shared_ptr<const ObjectSource> computed) {
  if (auto valid = CheckBucketName(info.name); !valid) return tl::unexpected(valid.error());
  info.time_created = info.updated = clock_();
  if (!info.soft_delete) info.soft_delete = SoftDeletePolicy{default_soft_delete_, info.time_created};
  auto bucket = std::make_shared<Bucket>(info, clock_, std::move(computed));
  const std::scoped_lock lock(mutex_);
  if (!buckets_.emplace(info.name, std::move(bucket)).second) {
    return Fail(FailureKind::kConflict,
                "Your previous request to create the named bucket succeeded and you already own it.");
  }
  return info;
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
  const std::scoped_lock lock(mutex_);
  const auto found = buckets_.find(name);
  if (found == buckets_.end()) return Fail(FailureKind::kNotFound, "The specified bucket does not exist.");
  if (auto closed = found->second->Close(preconditions); !closed) return closed;
  buckets_.erase(found);
  return {};
}

StoreUsage Store::usage() const {
  const std::shared_lock lock(mutex_);
  StoreUsage usage{.buckets = buckets_.size()};
  for (const auto& [name, bucket] : buckets_) {
    const BucketUsage of_bucket = bucket->usage();
    usage.objects += of_bucket.objects;
    usage.bytes += of_bucket.bytes;
  }
  return usage;
}

void Store::Clear() {
  std::map<std::string, std::shared_ptr<Bucket>, std::less<>>
      forgotten;  // destroyed after the lock is released: freeing may take a while
  const std::scoped_lock lock(mutex_);
  buckets_.swap(forgotten);
}

}  // namespace gcsflux::emulator
