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
#include "store/bytes/body.h"
#include "store/bytes/md5.h"
#include "store/uploads/pending_object.h"

namespace gcsflux::emulator {

/// What one request of an upload brings.
struct UploadedBytes {
  Rope bytes = {};
  std::uint32_t crc32c = 0;           ///< Of them.
  std::optional<Md5Stream> md5 = {};  ///< The MD5 of the upload up to the end of these bytes, if it is known.
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

  ResumableSession(PendingObject pending, std::optional<std::uint64_t> announced_size)
      : bucket_(std::exchange(pending.bucket, nullptr)),
        pending_(std::move(pending)),
        announced_size_(announced_size) {}

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

  /// Appends if the session is open and has `offset` bytes; else changes nothing. Returns the present state.
  Status Append(std::uint64_t offset, UploadedBytes uploaded);

  /// The content, if the session is open and holds exactly `size` bytes, else null. Until EndFinish no other caller
  /// gets it, and nothing is appended.
  BodyPtr BeginFinish(std::uint64_t size);
  /// With an answer, the session is complete and releases the content. Without one, it is open again.
  void EndFinish(std::optional<std::string> answer);

  /// False if it is finishing or complete already.
  bool Cancel();

 private:
  const std::weak_ptr<Bucket> bucket_;
  const PendingObject pending_;
  const std::optional<std::uint64_t> announced_size_;

  mutable std::mutex mutex_;  // guards what follows
  State state_ = State::kOpen;
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
  ResumableSessions(TimeSource clock, std::uint64_t seed);

  std::string Start(PendingObject pending, std::optional<std::uint64_t> announced_size);
  /// Null if there is none, or if it has expired.
  std::shared_ptr<ResumableSession> Find(std::string_view id);
  /// Call it when the session is complete.
  void Complete(std::string_view id);
  void Remove(std::string_view id);
  void Clear();

 private:
  static constexpr std::size_t kMost = 10'000;

  struct Entry {
    Time started = {};
    std::shared_ptr<ResumableSession> session = {};
    std::uint64_t number = 0;
  };
  using Ids = std::map<std::uint64_t, std::string>;  // by number: the oldest first
  std::string NewIdLocked();
  /// What it returns is to be destroyed after the lock is released: freeing content may take a while.
  [[nodiscard]] std::vector<std::shared_ptr<ResumableSession>> RemoveOldLocked(Ids& ids);

  const TimeSource clock_;

  std::mutex mutex_;  // guards what follows
  std::mt19937_64 random_;
  std::unordered_map<std::string, Entry> sessions_;
  std::uint64_t last_number_ = 0;
  Ids open_;
  Ids complete_;
};

}  // namespace gcsflux::emulator
