#include "checkpoints/saves/save_in_flight.h"

#include <exception>
#include <new>

namespace gcsflux {
namespace internal {

void SaveInFlight::WaitStaged() {
  internal::MutexLock lock(mutex_);
  changed_.wait(lock, [this]() REQUIRES(mutex_) { return is_staged_; });
}

bool SaveInFlight::is_staged() {
  const internal::MutexLock lock(mutex_);
  return is_staged_;
}

Result<SavedStep> SaveInFlight::WaitDone() {
  internal::MutexLock lock(mutex_);
  changed_.wait(lock, [this]() REQUIRES(mutex_) { return outcome_.has_value(); });
  was_reported_ = true;
  return *outcome_;
}

void SaveInFlight::WaitEnded() {
  internal::MutexLock lock(mutex_);
  changed_.wait(lock, [this]() REQUIRES(mutex_) { return outcome_.has_value(); });
}

bool SaveInFlight::is_done() {
  const internal::MutexLock lock(mutex_);
  return outcome_.has_value();
}

Result<void> SaveInFlight::Copy(SnapshotPool& pool, std::size_t threads) {
  const std::size_t bytes = BytesOf(request_.contents);
  auto memory = pool.Take(bytes);
  if (!memory) return memory.error();
  memory_ = *std::move(memory);
  try {
    snapshot_ = CopyContents(request_.contents, {memory_.bytes.get(), bytes}, threads);
  } catch (const std::bad_alloc&) {
    return NoMemoryForSnapshot(bytes);
  }
  request_.contents = {};
  request_.owner.reset();
  const internal::MutexLock lock(mutex_);
  is_staged_ = true;
  changed_.notify_all();
  return {};
}

bool SaveInFlight::GivesUp(const Error& why) {
  if (request_.give_up == nullptr) return false;
  why_not_ = why;
  return true;
}

Result<SavedStep> SaveInFlight::Commit(const std::stop_token& stop) {
  try {
    if (why_not_) return request_.give_up(*why_not_, stop);
    return request_.commit(snapshot_, stop);
  } catch (const std::exception& failure) {
    return Error{.code = ErrorCode::kLocalIo,
                 .message = "the save of step " + std::to_string(request_.step) + " failed: " + failure.what(),
                 .outcome = WriteOutcome::kUnknown};
  }
}

void SaveInFlight::SetReported() {
  const internal::MutexLock lock(mutex_);
  was_reported_ = true;
}

bool SaveInFlight::is_settled() {
  const internal::MutexLock lock(mutex_);
  return outcome_ && (outcome_->ok() || was_reported_);
}

std::optional<Error> SaveInFlight::TakeUnreported() {
  const internal::MutexLock lock(mutex_);
  if (was_reported_ || !outcome_ || outcome_->ok()) return std::nullopt;
  was_reported_ = true;
  return outcome_->error();
}

void SaveInFlight::Finish(Result<SavedStep> outcome, SnapshotPool& pool) {
  request_ = {};
  snapshot_ = {};
  if (memory_.bytes) pool.GiveBack(std::exchange(memory_, {}));
  const internal::MutexLock lock(mutex_);
  is_staged_ = true;
  outcome_ = std::move(outcome);
  changed_.notify_all();
}

}  // namespace internal

PendingSave::PendingSave(std::shared_ptr<internal::SaveInFlight> save) : save_(std::move(save)) {}
void PendingSave::WaitStaged() const { save_->WaitStaged(); }
bool PendingSave::is_staged() const { return save_->is_staged(); }
Result<SavedStep> PendingSave::WaitCommitted() const { return save_->WaitDone(); }
void PendingSave::WaitEnded() const { save_->WaitEnded(); }
bool PendingSave::is_done() const { return save_->is_done(); }

}  // namespace gcsflux
