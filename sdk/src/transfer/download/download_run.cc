#include "transfer/download/download_run.h"

#include <utility>

#include "base/exceptions_as_errors.h"

namespace gcsflux::internal {

void DownloadRun::Offer() {
  const auto offered = ExceptionsAsErrors([this]() -> Result<void> {
    // The caller that waits for this run keeps the slots alive. Another caller may come after the end of both.
    if (const auto slots = slots_.lock()) slots->Offer(shared_from_this());
    return {};
  });
  if (!offered) Fail(offered.error());
}

void DownloadRun::OnAdmitted() {
  {
    const MutexLock lock(mutex_);
    admission_ = Admission::kGiven;
  }
  Offer();
}

void DownloadRun::BeginNoMore() {
  const MutexLock lock(mutex_);
  begins_no_more_ = true;
  if (IsIdle()) idle_.notify_all();
}

void DownloadRun::Stop() {
  BeginNoMore();
  stop_.request_stop();  // This calls user code: not under the lock.
}

void DownloadRun::Wait() {
  MutexLock lock(mutex_);
  idle_.wait(lock, [this]() REQUIRES(mutex_) { return IsIdle(); });
}

std::function<void()> DownloadRun::Take() {
  auto taken = ExceptionsAsErrors([this]() -> Result<std::function<void()>> { return TakeOne(); });
  if (taken) return *std::move(taken);
  Fail(taken.error());
  return nullptr;
}

// What takes memory comes before what is counted: if it throws, nothing has changed.
std::function<void()> DownloadRun::TakeOne() {
  const MutexLock lock(mutex_);
  if (!with_pieces_.empty()) {
    const auto unit = with_pieces_.front();
    const std::size_t piece = unit->next_piece;
    std::function<void()> task = [self = shared_from_this(), unit, piece] {
      self->Run([&] { self->FetchPiece(unit, piece); });
    };
    if (++unit->next_piece == unit->plan.pieces) with_pieces_.pop_front();
    ++unit->running;
    ++running_;
    return task;
  }
  if (!MayBegin()) return nullptr;
  if (!planned_) planned_ = method_.plan(next_);
  if (!planned_) return nullptr;
  if (planned_->count == 0) {
    count_ = next_;
    if (IsIdle()) idle_.notify_all();
    return nullptr;
  }
  if (admission_ == Admission::kNotAsked) {
    admission_ = recipient_.Admit(*planned_) ? Admission::kGiven : Admission::kWaits;
  }
  if (admission_ == Admission::kWaits) return nullptr;
  const auto unit = std::make_shared<Unit>(Unit{.plan = *planned_});
  std::function<void()> task = [self = shared_from_this(), unit] { self->Run([&] { self->Begin(unit); }); };
  planned_.reset();
  admission_ = Admission::kNotAsked;
  next_ += unit->plan.count;
  ++running_;
  return task;
}

// What a task throws fails the download. A task that is counted always ends.
template <class Task>
void DownloadRun::Run(const Task& task) {
  const auto done = ExceptionsAsErrors([&] { return task(), Result<void>(); });
  if (!done) Fail(done.error());
  EndTask();
}

void DownloadRun::EndTask() {
  const MutexLock lock(mutex_);
  --running_;
  if (IsIdle()) idle_.notify_all();
}

void DownloadRun::Fail(const Error& error) {
  {
    const MutexLock lock(mutex_);
    if (IsIdle()) return;  // The recipient may be gone.
    ++running_;            // It stays until this has ended.
    begins_no_more_ = true;
    with_pieces_.clear();
  }
  stop_.request_stop();
  recipient_.OnRunFailed(error);
  EndTask();
}

void DownloadRun::Begin(const std::shared_ptr<Unit>& unit) {
  unit->begun = std::chrono::steady_clock::now();
  auto destinations = recipient_.DestinationsOf(unit->plan);
  const std::optional<Error> failure = destinations ? std::nullopt : std::optional(destinations.error());
  if (!failure) {
    unit->destinations = *std::move(destinations);
    unit->fetch = method_.begin(unit->plan, unit->destinations);
  }
  {
    const MutexLock lock(mutex_);
    if (!failure && unit->plan.pieces > 1) with_pieces_.push_back(unit);
    unit->next_piece = 1;
    unit->running = 1;
  }
  if (failure) return EndPiece(unit, *failure);
  if (unit->plan.pieces > 1) Offer();
  FetchPiece(unit, 0);
}

void DownloadRun::FetchPiece(const std::shared_ptr<Unit>& unit, std::size_t piece) {
  const std::stop_token stop = stop_.get_token();
  EndPiece(unit, stop.stop_requested() ? Error{ErrorCode::kCancelled, "cancelled before it was read"}
                                       : unit->fetch->FetchPiece(piece, stop));
}

void DownloadRun::EndPiece(const std::shared_ptr<Unit>& unit, const Result<void>& fetched) {
  if (IsOver(unit, fetched)) Finish(unit);
}

// True for the last running piece, if no more pieces will begin.
bool DownloadRun::IsOver(const std::shared_ptr<Unit>& unit, const Result<void>& fetched) {
  const MutexLock lock(mutex_);
  --unit->running;
  if (!fetched && !unit->failure) {
    unit->failure = fetched.error();
    unit->next_piece = unit->plan.pieces;
    std::erase(with_pieces_, unit);
  }
  return unit->running == 0 && unit->next_piece == unit->plan.pieces;
}

void DownloadRun::Finish(const std::shared_ptr<Unit>& unit) {
  std::vector<std::optional<Error>> errors;
  if (unit->failure) {
    errors.assign(unit->plan.count, unit->failure);
  } else {
    UnitOutcome outcome = unit->fetch->Finish(stop_.get_token());
    if (outcome.is_to_be_repeated) {
      {
        const MutexLock lock(mutex_);
        unit->next_piece = 0;
        with_pieces_.push_front(unit);
      }
      return Offer();
    }
    errors = std::move(outcome.errors);
  }
  unit->fetch.reset();
  recipient_.OnUnit({.plan = unit->plan,
                     .destinations = unit->destinations,
                     .errors = errors,
                     .took = std::chrono::steady_clock::now() - unit->begun});
  unit->destinations
      .clear();  // Their memory is released before the run is idle, even if another thread still holds the unit.
}

}  // namespace gcsflux::internal
