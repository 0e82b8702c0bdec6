#include "store/uploads/resumable_sessions.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <utility>

#include "store/bytes/crc32c.h"

namespace gcsflux::emulator {
namespace {

// https://cloud.google.com/storage/docs/resumable-uploads: "A session URI expires after one week."
constexpr std::chrono::hours kLifetime{7 * 24};

}  // namespace

ResumableSession::Status ResumableSession::status() const {
  const std::scoped_lock lock(mutex_);
  return {state_, persisted_, answer_};
}

bool ResumableSession::is_complete() const {
  const std::scoped_lock lock(mutex_);
  return state_ == State::kComplete;
}

std::optional<Md5Stream> ResumableSession::Md5Until(std::uint64_t offset) const {
  const std::scoped_lock lock(mutex_);
  return md5_.size() == offset ? std::optional(md5_) : std::nullopt;
}

Outcome<ResumableSession::Status> ResumableSession::Append(std::uint64_t offset, UploadedBytes uploaded) {
  if (log_.log != nullptr && uploaded.bytes.size() != 0) return AppendRecorded(offset, std::move(uploaded));
  const std::scoped_lock lock(mutex_);
  if (state_ == State::kOpen && !is_appending_ && offset == persisted_) AppendLocked(std::move(uploaded));
  return Status{state_, persisted_, answer_};
}

// Another request may ask for the state, or cancel the session, while the bytes are recorded.
Outcome<ResumableSession::Status> ResumableSession::AppendRecorded(std::uint64_t offset, UploadedBytes uploaded) {
  {
    const std::scoped_lock lock(mutex_);
    if (state_ != State::kOpen || is_appending_ || offset != persisted_) return Status{state_, persisted_, answer_};
    is_appending_ = true;
  }
  Outcome<UploadedBytes> recorded = RecordBytes(offset, std::move(uploaded));
  const std::scoped_lock lock(mutex_);
  is_appending_ = false;
  if (!recorded) return tl::unexpected(recorded.error());
  if (state_ == State::kOpen) AppendLocked(*std::move(recorded));
  return Status{state_, persisted_, answer_};
}

Outcome<UploadedBytes> ResumableSession::RecordBytes(std::uint64_t offset, UploadedBytes uploaded) {
  Outcome<Rope> kept = log_.log->Keep(uploaded.bytes);
  if (!kept) return tl::unexpected(kept.error());
  uploaded.bytes = *std::move(kept);
  Record record{log_.id + KeyNumber(offset), WriteRecord(SessionBytesRecord{uploaded.crc32c}), uploaded.bytes};
  const auto written = log_.log->Commit({PutRecord(RecordKind::kSessionBytes, std::move(record))});
  if (!written) return tl::unexpected(written.error());
  return uploaded;
}

void ResumableSession::AppendLocked(UploadedBytes uploaded) {
  content_.Append(uploaded.bytes);
  crc32c_ = CombineCrc32c(crc32c_, uploaded.crc32c, uploaded.bytes.size());
  persisted_ += uploaded.bytes.size();
  if (uploaded.md5) md5_ = *std::move(uploaded.md5);
}

SessionRecord ResumableSession::RecordOf(std::optional<std::string> answer) const {
  return {.started = started_,
          .bucket = bucket_number_,
          .pending = pending_,
          .announced_size = announced_size_,
          .answer = std::move(answer)};
}

RecordChange ResumableSession::StateRecord(std::optional<std::string> answer) const {
  return PutRecord(RecordKind::kSession, {.key = log_.id, .fields = WriteRecord(RecordOf(std::move(answer)))});
}

Change ResumableSession::EndRecord(std::string answer) const {
  if (log_.log == nullptr) return {};
  return {StateRecord(std::move(answer)), ErasePrefix(RecordKind::kSessionBytes, log_.id)};
}

void ResumableSession::Adopt(std::optional<std::string> answer, Rope bytes, std::uint32_t crc32c) {
  const std::scoped_lock lock(mutex_);
  if (answer) {
    state_ = State::kComplete;
    answer_ = *std::move(answer);
    return;
  }
  has_earlier_bytes_ = bytes.size() != 0;
  AppendLocked({.bytes = std::move(bytes), .crc32c = crc32c});
}

BodyPtr ResumableSession::BeginFinish(std::uint64_t size) {
  const std::scoped_lock lock(mutex_);
  if (state_ != State::kOpen || is_appending_ || persisted_ != size) return nullptr;
  state_ = State::kFinishing;
  const bool knows_md5 = md5_.size() == persisted_ && persisted_ != 0;
  auto body = std::make_shared<Body>(content_, crc32c_, knows_md5 ? std::optional(md5_.Digest()) : std::nullopt);
  if (has_earlier_bytes_) body->CheckBeforeRead();
  return body;
}

void ResumableSession::EndFinish(std::optional<std::string> answer) {
  const std::scoped_lock lock(mutex_);
  state_ = answer ? State::kComplete : State::kOpen;
  if (!answer) return;
  answer_ = *std::move(answer);
  content_ = Rope();  // or the bytes would be kept after the object is deleted
}

bool ResumableSession::Cancel() {
  const std::scoped_lock lock(mutex_);
  if (state_ != State::kOpen) return false;
  state_ = State::kCancelled;
  return true;
}

ResumableSessions::ResumableSessions(TimeSource clock, std::uint64_t seed, ChangeLog* log)
    : clock_(std::move(clock)), log_(log), random_(seed) {}

Outcome<std::string> ResumableSessions::Start(PendingObject pending, std::optional<std::uint64_t> announced_size) {
  const Time now = clock_();
  SessionLog log{.id = NewId()};
  std::string id = log.id;
  if (log_ != nullptr && pending.bucket != nullptr && pending.bucket->log()) log.log = log_;
  const bool is_recorded = log.log != nullptr;
  auto session = std::make_shared<ResumableSession>(std::move(pending), announced_size, now, std::move(log));
  if (is_recorded) {
    const auto written = log_->Commit({session->StateRecord(std::nullopt)});
    if (!written) return tl::unexpected(written.error());
  }
  Add(id, Entry{now, std::move(session)}, open_);
  return id;
}

bool ResumableSessions::Adopt(const std::string& id, SessionRecord record, std::shared_ptr<Bucket> bucket, Rope bytes,
                              std::uint32_t crc32c) {
  if (record.started <= clock_() - kLifetime) return false;
  SessionLog log{.log = bucket->log() ? log_ : nullptr, .id = id};
  record.pending.bucket = std::move(bucket);
  auto session = std::make_shared<ResumableSession>(std::move(record.pending), record.announced_size, record.started,
                                                    std::move(log));
  Ids& ids = record.answer ? complete_ : open_;
  session->Adopt(std::move(record.answer), std::move(bytes), crc32c);
  Add(id, Entry{record.started, std::move(session)}, ids);
  return true;
}

void ResumableSessions::Add(const std::string& id, Entry entry, Ids& ids) {
  Removed removed;
  {
    const std::scoped_lock lock(mutex_);
    entry.number = ++last_number_;
    ids.emplace(last_number_, id);
    sessions_.emplace(id, std::move(entry));
    removed = RemoveOldLocked(ids);
  }
  Forget(std::move(removed));
}

std::shared_ptr<ResumableSession> ResumableSessions::Find(std::string_view id) {
  Removed removed;
  std::shared_ptr<ResumableSession> session;
  {
    const std::scoped_lock lock(mutex_);
    removed = RemoveOldLocked(open_);
    const auto found = sessions_.find(std::string(id));
    if (found != sessions_.end() && found->second.started > clock_() - kLifetime) session = found->second.session;
  }
  Forget(std::move(removed));
  return session;
}

void ResumableSessions::Complete(std::string_view id) {
  Removed removed;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = sessions_.find(std::string(id));
    if (found == sessions_.end() || open_.erase(found->second.number) == 0) return;
    found->second.number = ++last_number_;
    complete_.emplace(last_number_, id);
    removed = RemoveOldLocked(complete_);
  }
  Forget(std::move(removed));
}

void ResumableSessions::Remove(std::string_view id) {
  Removed removed;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = sessions_.find(std::string(id));
    if (found == sessions_.end()) return;
    open_.erase(found->second.number);
    complete_.erase(found->second.number);
    removed.emplace_back(found->first, std::move(found->second.session));
    sessions_.erase(found);
  }
  Forget(std::move(removed));
}

Outcome<void> ResumableSessions::Clear() {
  std::unordered_map<std::string, Entry> forgotten;  // destroyed after the lock is released
  if (log_ != nullptr) {
    auto written = log_->Commit({ErasePrefix(RecordKind::kSession, ""), ErasePrefix(RecordKind::kSessionBytes, "")});
    if (!written) return written;
  }
  const std::scoped_lock lock(mutex_);
  sessions_.swap(forgotten);
  open_.clear();
  complete_.clear();
  return {};
}

void ResumableSessions::Forget(Removed removed) {
  if (log_ == nullptr) return;
  {
    const std::scoped_lock lock(mutex_);
    removed.insert(removed.end(), recorded_still_.begin(), recorded_still_.end());
    recorded_still_.clear();
  }
  if (removed.empty()) return;
  Change change;
  for (const auto& [id, session] : removed) {
    change.push_back(EraseRecord(RecordKind::kSession, id));
    change.push_back(ErasePrefix(RecordKind::kSessionBytes, id));
  }
  if (log_->Commit(std::move(change))) return;
  const std::scoped_lock lock(mutex_);
  recorded_still_.insert(recorded_still_.end(), removed.begin(), removed.end());
}

std::string ResumableSessions::NewId() {
  const std::scoped_lock lock(mutex_);
  std::array<char, 33> id{};
  std::snprintf(id.data(), id.size(), "%016llx%016llx", static_cast<unsigned long long>(random_()),
                static_cast<unsigned long long>(random_()));
  return id.data();
}

ResumableSessions::Removed ResumableSessions::RemoveOldLocked(Ids& ids) {
  const Time limit = clock_() - kLifetime;
  Removed removed;
  while (!ids.empty()) {
    const auto oldest = sessions_.find(ids.begin()->second);
    if (ids.size() <= kMost && oldest->second.started > limit) break;
    removed.emplace_back(oldest->first, std::move(oldest->second.session));
    sessions_.erase(oldest);
    ids.erase(ids.begin());
  }
  return removed;
}

}  // namespace gcsflux::emulator
