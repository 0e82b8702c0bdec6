#include "transfer/composition/bucket_permits.h"

#include "client/client_core.h"

namespace gcsflux::internal {
namespace {

constexpr int kMostFailures = 3;
constexpr std::size_t kMostKeysNamed = 4;

std::string ReasonOf(const std::set<std::string>& keys) {
  std::string names;
  for (const std::string& key : keys) names += (names.empty() ? "" : ", ") + key;
  return "objects under a Cloud KMS key are read directly, because their composites would not be under it; set "
         "DownloaderOptions::composition_kms_key_name to compose those of one key: " +
         names + (keys.size() < kMostKeysNamed ? "" : ", and maybe others");
}

// Under kAuto a failed check also means denial, because the cost of composites there is unknown.
Result<BucketCheck> DenialOutOf(const Error& failure) {
  if (failure.code == ErrorCode::kCancelled) return failure;
  return BucketCheck{.denial = Error{failure.code, "whether composites are to be made there could not be found out: " +
                                                       failure.message}};
}

}  // namespace

BucketPermits::Permit BucketPermits::Peek(const std::string& bucket) const {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(bucket);
  if (found == entries_.end()) return Permit::kUnknown;
  const Entry& entry = found->second;
  const bool is_to_fail = FailsWhereDenied() && entry.check && entry.check->denial;
  if (!entry.reason.empty() && !is_to_fail) return Permit::kNo;
  return entry.check ? Permit::kYes : Permit::kUnknown;
}

bool BucketPermits::ClaimCheck(const std::string& bucket) {
  const MutexLock lock(mutex_);
  Entry& entry = entries_[bucket];
  if (entry.check || entry.is_claimed) return false;
  entry.is_claimed = true;
  return true;
}

Result<bool> BucketPermits::Await(const std::string& bucket, const std::stop_token& stop) {
  MutexLock lock(mutex_);
  Entry& entry = entries_[bucket];  // A reference into the map stays valid.
  if (!checked_.Wait(lock, stop, [&]() REQUIRES(mutex_) { return !entry.is_checking; })) {
    return Error{ErrorCode::kCancelled, "cancelled while gs://" + bucket + " was being looked at"};
  }
  if (entry.check) return Answer(entry);
  entry.is_checking = true;
  lock.unlock();
  auto check = CheckBucket(client_, bucket, {.names_key = names_key_, .call = call_, .stop = stop});
  if (!check && !FailsWhereDenied()) check = DenialOutOf(check.error());
  lock.lock();
  entry.is_checking = false;
  entry.is_claimed = false;
  if (check) Decide(entry, *check);
  Result<bool> answer = check ? Answer(entry) : check.error();
  lock.unlock();
  checked_.NotifyAll();
  if (check && check->denial) Refuse(bucket, *check->denial);
  return answer;
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

Result<bool> BucketPermits::Answer(const Entry& entry) const {
  if (FailsWhereDenied() && entry.check->denial) return *entry.check->denial;
  return entry.reason.empty();
}

// If the download fails, its error tells the cause.
void BucketPermits::Refuse(const std::string& bucket, const Error& denial) const {
  if (FailsWhereDenied()) return;
  CoreOf(client_).observer().Report({.kind = EventKind::kCompositionRefused, .bucket = bucket, .what = denial.message});
}

void BucketPermits::NoteSuccess(const std::string& bucket) {
  const MutexLock lock(mutex_);
  entries_[bucket].failures = 0;
}

void BucketPermits::NoteFailure(const std::string& bucket, const Error& error) {
  if (error.code == ErrorCode::kNotFound) return;  // A missing source says nothing about the bucket.
  const bool is_refusal = error.code == ErrorCode::kPermissionDenied && !FailsWhereDenied();
  const int most = is_refusal ? 1 : kMostFailures;
  std::string reason;
  {
    const MutexLock lock(mutex_);
    Entry& entry = entries_[bucket];
    if (++entry.failures < most || !entry.reason.empty()) return;
    entry.reason = is_refusal ? "composing was refused: " + error.message
                              : "composing failed " + std::to_string(most) + " times running: " + error.message;
    reason = entry.reason;
  }
  if (is_refusal) Refuse(bucket, {error.code, reason});
}

void BucketPermits::NoteKmsKey(const std::string& bucket, const std::string& key) {
  const MutexLock lock(mutex_);
  std::set<std::string>& keys = entries_[bucket].kms_keys;
  if (keys.size() < kMostKeysNamed) keys.insert(key);
}

void BucketPermits::NoteStorageClass(const std::string& bucket, const std::string& storage_class) {
  if (storage_class.empty() || storage_class == "STANDARD") return;
  const MutexLock lock(mutex_);
  Entry& entry = entries_[bucket];
  std::string& place = mode_ == CompositionMode::kAuto ? entry.reason : entry.warning;
  if (place.empty()) place = ObjectionTo({.storage_class = storage_class});
}

void BucketPermits::AddTo(CompositionReport& report) const {
  const MutexLock lock(mutex_);
  for (const auto& [bucket, entry] : entries_) {
    if (!entry.reason.empty()) {
      report.reasons[bucket] = entry.reason;
    } else if (!entry.kms_keys.empty()) {
      report.reasons[bucket] = ReasonOf(entry.kms_keys);
    }
    if (!entry.warning.empty()) report.warnings[bucket] = entry.warning;
  }
}

}  // namespace gcsflux::internal
