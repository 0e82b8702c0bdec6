#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "gcsflux/composed_download.h"
#include "loop/wait_list.h"
#include "transfer/composition/bucket_check.h"

namespace gcsflux::internal {

/// In which buckets a Downloader composes: each is checked once, and given up where composing keeps failing.
/// Thread-safe.
class BucketPermits {
 public:
  BucketPermits(Client client, CompositionMode mode, CallOptions call)
      : client_(std::move(client)), mode_(mode), call_(std::move(call)) {}

  enum class Permit { kUnknown, kYes, kNo };
  /// Under kOn, kYes too where the check has ended in a denial, which Await() returns.
  [[nodiscard]] Permit Peek(const std::string& bucket) const;
  /// True for the one caller who is to call Await() soon, so that Peek() knows.
  bool ClaimCheck(const std::string& bucket);
  /// Checks the bucket, or waits for the thread that does. False where nothing is to be composed there. Where the
  /// caller may not compose, or the check fails: kOn returns the error, kAuto returns false, tells the client's
  /// listener and does not ask again. Under kOn a check that fails is made again next time; a cancelled one always is.
  Result<bool> Await(const std::string& bucket, const std::stop_token& stop);

  void NoteSuccess(const std::string& bucket);
  /// The bucket is given up after some failures without a success in between; by kAuto after the first one that is a
  /// missing permission, of which the client's listener is told.
  void NoteFailure(const std::string& bucket, const Error& error);
  /// A composite there was of this class.
  void NoteStorageClass(const std::string& bucket, const std::string& storage_class);

  /// The parts of a report that are by bucket.
  void AddTo(CompositionReport& report) const;

 private:
  struct Entry {
    bool is_claimed = false;
    bool is_checking = false;
    std::optional<BucketCheck> check = {};
    std::string reason = {};   // Why nothing is composed.
    std::string warning = {};  // What it costs all the same.
    int failures = 0;
  };
  void Decide(Entry& entry, const BucketCheck& check);
  [[nodiscard]] bool FailsWhereDenied() const { return mode_ == CompositionMode::kOn; }
  [[nodiscard]] Result<bool> Answer(const Entry& entry) const;
  void Refuse(const std::string& bucket, const Error& denial) const;

  const Client client_;
  const CompositionMode mode_;
  const CallOptions call_;
  mutable std::mutex mutex_;
  WaitList checked_;
  std::map<std::string, Entry> entries_;  // Guarded by mutex_.
};

}  // namespace gcsflux::internal
