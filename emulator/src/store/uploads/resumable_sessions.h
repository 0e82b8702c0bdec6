#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time_source.h"
#include "store/buckets/store.h"
#include "store/bytes/body.h"
#include "store/bytes/md5.h"
#include "store/log/change_log.h"
#include "store/uploads/pending_object.h"
#include "store/uploads/session_record.h"

namespace gcsflux::emulator {

/// The state of a session at one moment.
struct SessionSnapshot {
  std::string id = {};
  std::string bucket = {};  ///< Its name.
  SessionRecord record = {};
  Rope bytes = {};
  std::uint32_t crc32c = 0;  ///< Of them.
};

/// What one request of an upload brings.
struct UploadedBytes {
  Rope bytes = {};
  std::uint32_t crc32c = 0;           ///< Of them.
  std::optional<Md5Stream> md5 = {};  ///< The MD5 of the upload up to the end of these bytes, if it is known.
};

/// Where a session is recorded. Without a log it is in memory only.
struct SessionLog {
  ChangeLog* log = nullptr;  ///< Must outlive the session.
  std::string id = {};
};

/// One upload in pieces. Thread-safe. Bytes are received and hashed elsewhere; here they are only appended.
class ResumableSession {
 public:
  enum class State { kOpen, kFinishing, kComplete, kCancelled };
  struct Status {
    State state = State::kOpen;
    std::uint64_t persisted = 0;
    std::string answer = {};  ///< Once complete: the answer to its completion.
  };

  ResumableSession(PendingObject pending, std::optional<std::uint64_t> announced_size, Time started = {},
                   SessionLog log = {})
      : log_(std::move(log)),
        bucket_number_(pending.bucket != nullptr ? pending.bucket->log().number : 0),
        bucket_(std::exchange(pending.bucket, nullptr)),
        pending_(std::move(pending)),
        announced_size_(announced_size),
        started_(started) {}

  /// Null if the bucket was deleted. A session does not keep a bucket and all of its objects.
  [[nodiscard]] std::shared_ptr<Bucket> bucket() const { return bucket_.lock(); }
  /// Without its bucket.
  [[nodiscard]] const PendingObject& pending() const { return pending_; }
  /// For the whole upload, if the client said it at the start.
  [[nodiscard]] std::optional<std::uint64_t> announced_size() const { return announced_size_; }
  [[nodiscard]] Status status() const;
  [[nodiscard]] bool is_complete() const;

  /// The MD5 of its first `offset` bytes, to continue from. Nothing if it is not known.
  [[nodiscard]] std::optional<Md5Stream> Md5Until(std::uint64_t offset) const;

  /// Appends if the session is open and has `offset` bytes; else changes nothing. Returns the present state. With a
  /// log, the bytes count when they are recorded.
  Outcome<Status> Append(std::uint64_t offset, UploadedBytes uploaded);

  /// The content, if the session is open and holds exactly `size` bytes, else null. Until EndFinish no other caller
  /// gets it, and nothing is appended.
  BodyPtr BeginFinish(std::uint64_t size);
  /// With an answer, the session is complete and releases the content. Without one, it is open again.
  void EndFinish(std::optional<std::string> answer);

  /// False if it is finishing or complete already.
  bool Cancel();

  /// The session as it is recorded while it is open; with an answer, once it is complete.
  [[nodiscard]] RecordChange StateRecord(std::optional<std::string> answer) const;
  /// Nothing if its bucket was deleted, or it was cancelled.
  [[nodiscard]] std::optional<SessionSnapshot> Capture(const std::string& id) const;
  /// What is recorded when it is complete, together with its object. Nothing without a log.
  [[nodiscard]] Change EndRecord(std::string answer) const;
  /// Takes over what is recorded already: an answer, or bytes.
  void Adopt(std::optional<std::string> answer, Rope bytes, std::uint32_t crc32c);

 private:
  [[nodiscard]] SessionRecord RecordOf(std::optional<std::string> answer) const;
  Outcome<Status> AppendRecorded(std::uint64_t offset, UploadedBytes uploaded);
  Outcome<UploadedBytes> RecordBytes(std::uint64_t offset, UploadedBytes uploaded);
  void AppendLocked(UploadedBytes uploaded);

  const SessionLog log_;
  const std::uint64_t bucket_number_;
  const std::weak_ptr<Bucket> bucket_;
  const PendingObject pending_;
  const std::optional<std::uint64_t> announced_size_;
  const Time started_;

  mutable std::mutex mutex_;  // guards what follows
  State state_ = State::kOpen;
  bool is_appending_ = false;       // bytes are being recorded
  bool has_earlier_bytes_ = false;  // of another process
  Rope content_;
  std::uint32_t crc32c_ = 0;
  Md5Stream md5_;  // of as many bytes as it says, which may be fewer than there are
  std::uint64_t persisted_ = 0;
  std::string answer_;
};

/// All sessions, by their ids. A session exists for a week. Of open sessions, and of complete ones, the last 10,000 are
/// kept: a client that begins more and leaves them does not fill the memory. Thread-safe.
class ResumableSessions {
 public:
  /// `seed` is for the ids. A client can guess an id only if it can guess the seed.
  /// With a log, which must outlive them, sessions survive the process.
  ResumableSessions(TimeSource clock, std::uint64_t seed, ChangeLog* log = nullptr);

  Outcome<std::string> Start(PendingObject pending, std::optional<std::uint64_t> announced_size);
  /// Null if there is none, or if it has expired.
  std::shared_ptr<ResumableSession> Find(std::string_view id);
  /// Call it when the session is complete.
  void Complete(std::string_view id);
  void Remove(std::string_view id);
  Outcome<void> Clear();

  /// Adds a session that is recorded already: its parts, if any, are `bytes`. Returns false if it has expired.
  bool Adopt(const std::string& id, SessionRecord record, std::shared_ptr<Bucket> bucket, Rope bytes,
             std::uint32_t crc32c);
  [[nodiscard]] std::vector<SessionSnapshot> Capture() const;
  /// Replaces all sessions by those of the snapshot whose buckets are in `store`.
  Outcome<void> Restore(const std::vector<SessionSnapshot>& snapshot, const Store& store);

 private:
  static constexpr std::size_t kMost = 10'000;

  struct Entry {
    Time started = {};
    std::shared_ptr<ResumableSession> session = {};
    std::uint64_t number = 0;
  };
  using Removed = std::vector<std::pair<std::string, std::shared_ptr<ResumableSession>>>;  // by id
  using Ids = std::map<std::uint64_t, std::string>;  // by number: the oldest first
  std::string NewId();
  void Add(const std::string& id, Entry entry, Ids& ids);
  /// What it returns goes to Forget() after the lock is released: freeing content may take a while.
  [[nodiscard]] Removed RemoveOldLocked(Ids& ids);
  /// Erases their records before it frees their bytes.
  void Forget(Removed removed);

  const TimeSource clock_;
  ChangeLog* const log_;

  mutable std::mutex mutex_;  // guards what follows
  std::mt19937_64 random_;
  std::unordered_map<std::string, Entry> sessions_;
  std::uint64_t last_number_ = 0;
  Ids open_;
  Ids complete_;
  Removed recorded_still_;  // could not be erased, so their bytes must stay; the next Forget() tries again
};

}  // namespace gcsflux::emulator
