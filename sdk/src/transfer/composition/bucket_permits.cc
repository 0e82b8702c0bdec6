#include "transfer/composition/bucket_permits.h"

namespace gcsflux::internal {
namespace {

constexpr int kMostFailures = 3;

Result<bool> Answer(const BucketCheck& check, const std::string& reason) {
  if (check.denial) return *check.denial;
  return reason.empty();
}

}  // namespace

BucketPermits::Permit BucketPermits::Peek(const std::string& bucket) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(bucket);
  if (found == entries_.end()) return Permit::kUnknown;
  const Entry& entry = found->second;
  if (!entry.reason.empty() && !(entry.check && entry.check->denial)) return Permit::kNo;
  return entry.check ? Permit::kYes : Permit::kUnknown;
}

bool BucketPermits::ClaimCheck(const std::string& bucket) {
  const std::scoped_lock lock(mutex_);
  Entry& entry = entries_[bucket];
  if (entry.check || entry.is_claimed) return false;
  entry.is_claimed = true;
  return true;
}

Result<bool> BucketPermits::Await(const std::string& bucket, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  Entry& entry = entries_[bucket];  // It stays where it is.
  if (!checked_.wait(lock, stop, [&] { return !entry.is_checking; })) {
    return Error{ErrorCode::kCancelled, "cancelled while gs://" + bucket + " was being looked at"};
  }
  if (entry.check) return Answer(*entry.check, entry.reason);
  entry.is_checking = true;
  lock.unlock();
  const auto check = CheckBucket(client_, bucket, call_, stop);
  lock.lock();
  entry.is_checking = false;
  entry.is_claimed = false;
  if (check) {
    Decide(entry, *check);
  } else if (mode_ == CompositionMode::kAuto && check.error().code != ErrorCode::kCancelled) {
    entry.reason = "whether composites are to be made there could not be found out: " + check.error().message;
  }
  lock.unlock();
  checked_.notify_all();
  if (!check) return check.error();
  const std::scoped_lock again(mutex_);
  return Answer(*entry.check, entry.reason);
}

void BucketPermits::Decide(Entry& entry, const BucketCheck& check) {
  entry.check = check;
  if (check.denial) {
    entry.reason = check.denial->message;
  } else if (mode_ == CompositionMode::kAuto) {
    entry.reason = check.objection;
  } else {
    entry.warning = check.objection;
  }
}

void BucketPermits::NoteSuccess(const std::string& bucket) {
  const std::scoped_lock lock(mutex_);
  entries_[bucket].failures = 0;
}

void BucketPermits::NoteFailure(const std::string& bucket, const Error& error) {
  if (error.code == ErrorCode::kNotFound) return;  // A source that is gone says nothing about the bucket.
  const std::scoped_lock lock(mutex_);
  Entry& entry = entries_[bucket];
  if (++entry.failures >= kMostFailures && entry.reason.empty()) {
    entry.reason = "composing failed " + std::to_string(kMostFailures) + " times running: " + error.message;
  }
}

void BucketPermits::NoteStorageClass(const std::string& bucket, const std::string& storage_class) {
  if (storage_class.empty() || storage_class == "STANDARD") return;
  const std::scoped_lock lock(mutex_);
  Entry& entry = entries_[bucket];
  std::string& place = mode_ == CompositionMode::kAuto ? entry.reason : entry.warning;
  if (place.empty()) place = ObjectionTo({.storage_class = storage_class});
}

void BucketPermits::AddTo(CompositionReport& report) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& [bucket, entry] : entries_) {
    if (!entry.reason.empty()) report.reasons[bucket] = entry.reason;
    if (!entry.warning.empty()) report.warnings[bucket] = entry.warning;
  }
}

}  // namespace gcsflux::internal
