#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/time_source.h"
#include "store/bytes/body.h"
#include "store/bytes/md5.h"
#include "store/uploads/pending_object.h"

namespace gcsflux::emulator {

/// What one request of an upload brings.
struct UploadedBytes {
  Rope bytes = {};
  std::uint32_t crc32c = 0;           ///< Of them.
  std::optional<Md5Stream> md5 = {};  ///< Of the upload up to their end, where it is known.
};

/// One upload that comes in pieces. Thread-safe; bytes are received and hashed outside, only appended here.
class ResumableSession {
 public:
  enum class State { kOpen, kFinishing, kComplete, kCancelled };
  struct Status {
    State state = State::kOpen;
    std::uint64_t persisted = 0;
    std::string answer = {};  ///< Once complete: what its completion was answered with.
  };

  ResumableSession(PendingObject pending, std::optional<std::uint64_t> announced_size)
      : pending_(std::move(pending)), announced_size_(announced_size) {}

  [[nodiscard]] const PendingObject& pending() const { return pending_; }
  /// The whole upload's, where the client said it at the start.
  [[nodiscard]] std::optional<std::uint64_t> announced_size() const { return announced_size_; }
  [[nodiscard]] Status status() const;

  /// The MD5 of its first `offset` bytes, to go on from; nothing where that is not known.
  [[nodiscard]] std::optional<Md5Stream> Md5Until(std::uint64_t offset) const;

  /// Appends where the session is open and `offset` is what it has; else leaves it as it is. Returns what it is now.
  Status Append(std::uint64_t offset, UploadedBytes uploaded);

  /// The content, where the session is open and holds exactly `size` bytes, else null. Until EndFinish nobody else gets
  /// it, and nothing is appended.
  BodyPtr BeginFinish(std::uint64_t size);
  /// With an answer the session is complete, and lets go of the content; without, it is open again.
  void EndFinish(std::optional<std::string> answer);

  /// False where it is finishing or complete already.
  bool Cancel();

 private:
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

/// All sessions, by their ids. A session lives for a week. Thread-safe.
class ResumableSessions {
 public:
  /// `seed` is for the ids, which a client cannot guess only where it cannot guess the seed.
  ResumableSessions(TimeSource clock, std::uint64_t seed);

  std::string Start(PendingObject pending, std::optional<std::uint64_t> announced_size);
  /// Null where there is none, or it has expired.
  std::shared_ptr<ResumableSession> Find(std::string_view id);
  void Remove(std::string_view id);
  void Clear();

 private:
  struct Entry {
    Time started = {};
    std::shared_ptr<ResumableSession> session = {};
  };
  std::string NewIdLocked();
  void RemoveExpiredLocked();

  const TimeSource clock_;

  std::mutex mutex_;  // guards what follows
  std::mt19937_64 random_;
  std::unordered_map<std::string, Entry> sessions_;
  std::deque<std::string> by_age_;  // ids, the oldest first; some may be removed already
};

}  // namespace gcsflux::emulator
