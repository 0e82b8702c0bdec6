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
  const std::lock_guard lock(mutex_);
  return {state_, persisted_, answer_};
}

std::optional<Md5Stream> ResumableSession::Md5Until(std::uint64_t offset) const {
  const std::lock_guard lock(mutex_);
  return md5_.size() == offset ? std::optional(md5_) : std::nullopt;
}

ResumableSession::Status ResumableSession::Append(std::uint64_t offset, UploadedBytes uploaded) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kOpen && offset == persisted_) {
    content_.Append(uploaded.bytes);
    crc32c_ = CombineCrc32c(crc32c_, uploaded.crc32c, uploaded.bytes.size());
    persisted_ += uploaded.bytes.size();
    if (uploaded.md5) md5_ = *std::move(uploaded.md5);
  }
  return {state_, persisted_, answer_};
}

BodyPtr ResumableSession::BeginFinish(std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kOpen || persisted_ != size) return nullptr;
  state_ = State::kFinishing;
  const bool knows_md5 = md5_.size() == persisted_ && persisted_ != 0;
  return std::make_shared<const Body>(content_, crc32c_, knows_md5 ? std::optional(md5_.Digest()) : std::nullopt);
}

void ResumableSession::EndFinish(std::optional<std::string> answer) {
  const std::lock_guard lock(mutex_);
  state_ = answer ? State::kComplete : State::kOpen;
  if (!answer) return;
  answer_ = *std::move(answer);
  content_ = Rope();  // or the bytes would be kept after the object is deleted
}

bool ResumableSession::Cancel() {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kOpen) return false;
  state_ = State::kCancelled;
  return true;
}

ResumableSessions::ResumableSessions(TimeSource clock, std::uint64_t seed) : clock_(std::move(clock)), random_(seed) {}

std::string ResumableSessions::Start(PendingObject pending, std::optional<std::uint64_t> announced_size) {
  auto session = std::make_shared<ResumableSession>(std::move(pending), announced_size);
  const Time now = clock_();
  const std::lock_guard lock(mutex_);
  RemoveExpiredLocked();
  std::string id = NewIdLocked();
  sessions_.emplace(id, Entry{now, std::move(session)});
  by_age_.push_back(id);
  return id;
}

std::shared_ptr<ResumableSession> ResumableSessions::Find(std::string_view id) {
  const std::lock_guard lock(mutex_);
  RemoveExpiredLocked();
  const auto found = sessions_.find(std::string(id));
  return found != sessions_.end() ? found->second.session : nullptr;
}

void ResumableSessions::Remove(std::string_view id) {
  const std::lock_guard lock(mutex_);
  sessions_.erase(std::string(id));
}

void ResumableSessions::Clear() {
  std::unordered_map<std::string, Entry> forgotten;  // destroyed after the lock is released: freeing may take a while
  const std::lock_guard lock(mutex_);
  sessions_.swap(forgotten);
  by_age_.clear();
}

std::string ResumableSessions::NewIdLocked() {
  std::array<char, 33> id{};
  std::snprintf(id.data(), id.size(), "%016llx%016llx", static_cast<unsigned long long>(random_()),
                static_cast<unsigned long long>(random_()));
  return id.data();
}

void ResumableSessions::RemoveExpiredLocked() {
  const Time limit = clock_() - kLifetime;
  while (!by_age_.empty()) {
    const auto oldest = sessions_.find(by_age_.front());
    if (oldest != sessions_.end()) {
      if (oldest->second.started > limit) return;
      sessions_.erase(oldest);
    }
    by_age_.pop_front();
  }
}

}  // namespace gcsflux::emulator
