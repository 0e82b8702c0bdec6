#include <mutex>
#include <utility>

#include "store/buckets/store.h"

namespace gcsflux::emulator {

StoreSnapshot Store::Capture() const {
  StoreSnapshot snapshot;
  const std::shared_lock lock(mutex_);
  for (const auto& [name, bucket] : buckets_) snapshot.push_back(bucket->Capture());
  return snapshot;
}

Outcome<void> Store::Restore(const StoreSnapshot& snapshot) {
  Change change = EraseBuckets();
  Buckets buckets;  // at the end, those that were there before: destroyed after the lock is released
  for (const BucketSnapshot& bucket : snapshot) buckets.emplace(bucket.info->name, Restored(bucket, change));
  NameLocks::Hold hold;
  if (log_ != nullptr) {
    hold = names_.LockAll();
    if (auto written = log_->Commit(std::move(change)); !written) return written;
  }
  const std::scoped_lock lock(mutex_);
  buckets_.swap(buckets);
  return {};
}

// Adds its records to the change. They have another number than those of the bucket that it replaces, which a request
// may still use.
std::shared_ptr<Bucket> Store::Restored(const BucketSnapshot& snapshot, Change& change) {
  BucketLog log;
  if (log_ != nullptr && snapshot.computed == nullptr) log = {log_, ++last_number_};
  auto bucket = std::make_shared<Bucket>(*snapshot.info, clock_, snapshot.computed, log);
  if (log) change.push_back(log.Put(*snapshot.info));
  for (const bool is_live : {true, false}) {
    for (const ObjectPtr& object : is_live ? snapshot.live : snapshot.noncurrent) {
      bucket->Adopt(object, is_live);
      if (log) change.push_back(log.Put(*object, is_live));
    }
  }
  for (const auto& [upload, parts] : snapshot.uploads) {
    const auto adopted = bucket->uploads().Adopt(upload);
    if (log) change.push_back(log.Put(upload));
    for (const UploadPart& part : parts) {
      adopted->Adopt(part);
      if (log) change.push_back(log.Put(upload.id, part));
    }
  }
  return bucket;
}

}  // namespace gcsflux::emulator
