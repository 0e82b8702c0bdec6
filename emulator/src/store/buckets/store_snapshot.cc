#include <mutex>
#include <utility>

#include "store/buckets/store.h"

namespace gcsflux::emulator {

StoreSnapshot Store::Capture() const {
  StoreSnapshot snapshot;
  const std::shared_lock lock(mutex_);
  for (const auto& [name, bucket] : buckets_) snapshot.push_back(bucket->Capture());
  for (const auto& [generation, bucket] : deleted_) snapshot.push_back(bucket->Capture());
  return snapshot;
}

Outcome<void> Store::Restore(const StoreSnapshot& snapshot) {
  Change change = EraseBuckets();
  Buckets buckets;  // at the end, those that were there before: destroyed after the lock is released
  DeletedBuckets deleted;
  for (const BucketSnapshot& bucket : snapshot) {
    auto restored = Restored(bucket, change);
    if (bucket.info->soft_deletion) {
      deleted.emplace(Generation(bucket.info->name, bucket.info->generation), std::move(restored));
    } else {
      buckets.emplace(bucket.info->name, std::move(restored));
    }
  }
  NameLocks::Hold hold;
  if (log_ != nullptr) {
    hold = names_.LockAll();
    if (auto written = log_->Commit(std::move(change)); !written) return written;
  }
  const std::scoped_lock lock(mutex_);
  buckets_.swap(buckets);
  deleted_.swap(deleted);
  return {};
}

// Adds its records to the change. They have another number than those of the bucket that it replaces, which a request
// may still use.
std::shared_ptr<Bucket> Store::Restored(const BucketSnapshot& snapshot, Change& change) {
  BucketLog log;
  if (log_ != nullptr && snapshot.computed == nullptr) log = {log_, ++last_number_};
  auto bucket = std::make_shared<Bucket>(*snapshot.info, clock_, snapshot.computed, log);
  if (log) change.push_back(log.Put(*snapshot.info));
  for (const auto* objects : {&snapshot.live, &snapshot.noncurrent, &snapshot.soft_deleted}) {
    const bool is_live = objects == &snapshot.live;
    for (const ObjectPtr& object : *objects) {
      bucket->Adopt(object, is_live);
      if (log) change.push_back(log.Put(*object, is_live));
    }
  }
  for (const ObjectPtr& folder : snapshot.folders) {
    bucket->AdoptFolder(folder);
    if (log) change.push_back(log.PutFolder(*folder));
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
