#include <mutex>
#include <utility>

#include "store/uploads/resumable_sessions.h"

namespace gcsflux::emulator {

std::optional<SessionSnapshot> ResumableSession::Capture(const std::string& id) const {
  const std::shared_ptr<Bucket> its_bucket = bucket();
  if (its_bucket == nullptr) return std::nullopt;
  SessionSnapshot snapshot{.id = id, .bucket = its_bucket->info()->name};
  const std::scoped_lock lock(mutex_);
  if (state_ == State::kCancelled) return std::nullopt;
  snapshot.record = RecordOf(state_ == State::kComplete ? std::optional(answer_) : std::nullopt);
  snapshot.bytes = content_;
  snapshot.crc32c = crc32c_;
  return snapshot;
}

std::vector<SessionSnapshot> ResumableSessions::Capture() const {
  std::vector<std::pair<std::string, std::shared_ptr<ResumableSession>>> sessions;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [id, entry] : sessions_) sessions.emplace_back(id, entry.session);
  }
  std::vector<SessionSnapshot> snapshots;
  for (const auto& [id, session] : sessions) {
    if (auto snapshot = session->Capture(id)) snapshots.push_back(*std::move(snapshot));
  }
  return snapshots;
}

Outcome<void> ResumableSessions::Restore(const std::vector<SessionSnapshot>& snapshot, const Store& store) {
  if (auto cleared = Clear(); !cleared) return cleared;
  for (const auto& [id, bucket_name, recorded, bytes, crc32c] : snapshot) {
    const auto bucket = store.FindBucket(bucket_name);
    if (!bucket) continue;
    SessionRecord record = recorded;
    record.bucket = (*bucket)->log().number;
    if ((*bucket)->log()) {
      Change change{PutRecord(RecordKind::kSession, {.key = id, .fields = WriteRecord(record)})};
      if (bytes.size() != 0) {
        change.push_back(
            PutRecord(RecordKind::kSessionBytes, {id + KeyNumber(0), WriteRecord(SessionBytesRecord{crc32c}), bytes}));
      }
      if (auto written = log_->Commit(std::move(change)); !written) return written;
    }
    Adopt(id, std::move(record), *bucket, bytes, crc32c);
  }
  return {};
}

}  // namespace gcsflux::emulator
