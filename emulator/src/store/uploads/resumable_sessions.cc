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

ResumableSession::Status ResumableSession::Append(std::uint64_t offset, UploadedBytes uploaded) {
  const std::scoped_lock lock(mutex_);
  if (state_ == State::kOpen && offset == persisted_) {
    content_.Append(uploaded.bytes);
    crc32c_ = CombineCrc32c(crc32c_, uploaded.crc32c, uploaded.bytes.size());
    persisted_ += uploaded.bytes.size();
    if (uploaded.md5) md5_ = *std::move(uploaded.md5);
  }
  return {state_, persisted_, answer_};
}

BodyPtr ResumableSession::BeginFinish(std::uint64_t size) {
  const std::scoped_lock lock(mutex_);
  if (state_ != State::kOpen || persisted_ != size) return nullptr;
  state_ = State::kFinishing;
  const bool knows_md5 = md5_.size() == persisted_ && persisted_ != 0;
  return std::make_shared<const Body>(content_, crc32c_, knows_md5 ? std::optional(md5_.Digest()) : std::nullopt);
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

ResumableSessions::ResumableSessions(TimeSource clock, std::uint64_t seed) : clock_(std::move(clock)), random_(seed) {}

std::string ResumableSessions::Start(PendingObject pending, std::optional<std::uint64_t> announced_size) {
  auto session = std::make_shared<ResumableSession>(std::move(pending), announced_size);
  const Time now = clock_();
  std::vector<std::shared_ptr<ResumableSession>> removed;
  const std::scoped_lock lock(mutex_);
  std::string id = NewIdLocked();
  sessions_.emplace(id, Entry{now, std::move(session), ++last_number_});
  open_.emplace(last_number_, id);
  removed = RemoveOldLocked(open_);
  return id;
}

std::shared_ptr<ResumableSession> ResumableSessions::Find(std::string_view id) {
  std::vector<std::shared_ptr<ResumableSession>> removed;
  const std::scoped_lock lock(mutex_);
  removed = RemoveOldLocked(open_);
  const auto found = sessions_.find(std::string(id));
  if (found == sessions_.end() || found->second.started <= clock_() - kLifetime) return nullptr;
  return found->second.session;
}

void ResumableSessions::Complete(std::string_view id) {
  std::vector<std::shared_ptr<ResumableSession>> removed;
  const std::scoped_lock lock(mutex_);
  const auto found = sessions_.find(std::string(id));
  if (found == sessions_.end() || open_.erase(found->second.number) == 0) return;
  found->second.number = ++last_number_;
  complete_.emplace(last_number_, id);
  removed = RemoveOldLocked(complete_);
}

void ResumableSessions::Remove(std::string_view id) {
  Entry removed;  // destroyed after the lock is released
  const std::scoped_lock lock(mutex_);
  const auto found = sessions_.find(std::string(id));
  if (found == sessions_.end()) return;
  open_.erase(found->second.number);
  complete_.erase(found->second.number);
  removed = std::move(found->second);
  sessions_.erase(found);
}

void ResumableSessions::Clear() {
  std::unordered_map<std::string, Entry> forgotten;  // destroyed after the lock is released
  const std::scoped_lock lock(mutex_);
  sessions_.swap(forgotten);
  open_.clear();
  complete_.clear();
}

std::string ResumableSessions::NewIdLocked() {
  std::array<char, 33> id{};
  std::snprintf(id.data(), id.size(), "%016llx%016llx", static_cast<unsigned long long>(random_()),
                static_cast<unsigned long long>(random_()));
  return id.data();
}

std::vector<std::shared_ptr<ResumableSession>> ResumableSessions::RemoveOldLocked(Ids& ids) {
  const Time limit = clock_() - kLifetime;
  std::vector<std::shared_ptr<ResumableSession>> removed;
  while (!ids.empty()) {
    const auto oldest = sessions_.find(ids.begin()->second);
    if (ids.size() <= kMost && oldest->second.started > limit) break;
    removed.push_back(std::move(oldest->second.session));
    sessions_.erase(oldest);
    ids.erase(ids.begin());
  }
  return removed;
}

}  // namespace gcsflux::emulator
