#pragma once

#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "base/process/mutex.h"
#include "gcsflux/download.h"
#include "loop/wait_list.h"
#include "transfer/composition/bucket_check.h"

namespace gcsflux::internal {

/// Decides in which buckets a Downloader composes. Each bucket is checked once. If composing keeps failing in a bucket,
/// it is not used any more. Thread-safe.
class BucketPermits {
 public:
  /// `names_key`: composites are under a key that the caller has chosen.
  BucketPermits(Client client, CompositionMode mode, bool names_key, CallOptions call)
      : client_(std::move(client)), mode_(mode), names_key_(names_key), call_(std::move(call)) {}

  enum class Permit { kUnknown, kYes, kNo };
  /// Does not wait. Under kOn it returns kYes also if the check was denied; Await() returns that error.
  [[nodiscard]] Permit Peek(const std::string& bucket) const;
  /// True for exactly one caller, which must call Await() soon; then Peek() can give the answer.
  bool ClaimCheck(const std::string& bucket);
  /// Checks the bucket, or waits for the thread that does. Returns false if nothing is to be composed there. If the
  /// caller may not compose, or the check fails, kOn returns the error; kAuto returns false, tells the client's
  /// listener and does not check again. Under kOn a failed check is repeated the next time. A cancelled check is always
  /// repeated.
  Result<bool> Await(const std::string& bucket, const std::stop_token& stop);

  void NoteSuccess(const std::string& bucket);
  /// After several failures without a success in between, the bucket is not used any more. Under kAuto one missing
  /// permission is enough; the client's listener is told of it.
  void NoteFailure(const std::string& bucket, const Error& error);
  /// An object of this bucket was not composed, because this Cloud KMS key encrypts it.
  void NoteKmsKey(const std::string& bucket, const std::string& key);
  /// A composite in this bucket had this storage class.
  void NoteStorageClass(const std::string& bucket, const std::string& storage_class);

  /// Adds the parts of a report that are listed by bucket.
  void AddTo(CompositionReport& report) const;

 private:
  struct Entry {
    bool is_claimed = false;
    bool is_checking = false;
    std::optional<BucketCheck> check = {};
    std::string reason = {};   // Why nothing is composed.
    std::string warning = {};  // What composing costs; it is done despite that.
    int failures = 0;
    std::set<std::string> kms_keys = {};  // Objects under them are read directly. A few of them.
  };
  void Decide(Entry& entry, const BucketCheck& check);
  [[nodiscard]] bool FailsWhereDenied() const { return mode_ == CompositionMode::kOn; }
  [[nodiscard]] Result<bool> Answer(const Entry& entry) const;
  void Refuse(const std::string& bucket, const Error& denial) const;

  const Client client_;
  const CompositionMode mode_;
  const bool names_key_;
  const CallOptions call_;
  mutable Mutex mutex_;
  WaitList checked_;
  std::map<std::string, Entry> entries_ GUARDED_BY(mutex_);
};

}  // namespace gcsflux::internal
