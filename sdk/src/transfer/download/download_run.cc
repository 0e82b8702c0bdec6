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
  if (!with_ranges_.empty()) {
    const auto group = with_ranges_.front();
    const std::size_t range = group->next_range;
    std::function<void()> task = [self = shared_from_this(), group, range] {
      self->Run([&] { self->FetchRange(group, range); });
    };
    if (++group->next_range == group->plan.ranges) with_ranges_.pop_front();
    ++group->running;
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
  const auto group = std::make_shared<Group>(Group{.plan = *planned_});
  std::function<void()> task = [self = shared_from_this(), group] { self->Run([&] { self->Begin(group); }); };
  planned_.reset();
  admission_ = Admission::kNotAsked;
  next_ += group->plan.count;
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
    with_ranges_.clear();
  }
  stop_.request_stop();
  recipient_.OnRunFailed(error);
  EndTask();
}

void DownloadRun::Begin(const std::shared_ptr<Group>& group) {
  group->begun = std::chrono::steady_clock::now();
  auto destinations = recipient_.DestinationsOf(group->plan);
  const std::optional<Error> failure = destinations ? std::nullopt : std::optional(destinations.error());
  if (!failure) {
    group->destinations = *std::move(destinations);
    group->fetch = method_.begin(group->plan, group->destinations);
  }
  {
    const MutexLock lock(mutex_);
    if (!failure && group->plan.ranges > 1) with_ranges_.push_back(group);
    group->next_range = 1;
    group->running = 1;
  }
  if (failure) return EndRange(group, *failure);
  if (group->plan.ranges > 1) Offer();
  FetchRange(group, 0);
}

void DownloadRun::FetchRange(const std::shared_ptr<Group>& group, std::size_t range) {
  const std::stop_token stop = stop_.get_token();
  EndRange(group, stop.stop_requested() ? Error{ErrorCode::kCancelled, "cancelled before it was read"}
                                        : group->fetch->FetchRange(range, stop));
}

void DownloadRun::EndRange(const std::shared_ptr<Group>& group, const Result<void>& fetched) {
  if (IsOver(group, fetched)) Finish(group);
}

// True for the last running range, if no more ranges will begin.
bool DownloadRun::IsOver(const std::shared_ptr<Group>& group, const Result<void>& fetched) {
  const MutexLock lock(mutex_);
  --group->running;
  if (!fetched && !group->failure) {
    group->failure = fetched.error();
    group->next_range = group->plan.ranges;
    std::erase(with_ranges_, group);
  }
  return group->running == 0 && group->next_range == group->plan.ranges;
}

void DownloadRun::Finish(const std::shared_ptr<Group>& group) {
  std::vector<std::optional<Error>> errors;
  if (group->failure) {
    errors.assign(group->plan.count, group->failure);
  } else {
    GroupOutcome outcome = group->fetch->Finish(stop_.get_token());
    if (outcome.is_to_be_repeated) {
      {
        const MutexLock lock(mutex_);
        group->next_range = 0;
        with_ranges_.push_front(group);
      }
      return Offer();
    }
    errors = std::move(outcome.errors);
  }
  group->fetch.reset();
  recipient_.OnGroup({.plan = group->plan,
                      .destinations = group->destinations,
                      .errors = errors,
                      .took = std::chrono::steady_clock::now() - group->begun});
  group->destinations
      .clear();  // Their memory is released before the run is idle, even if another thread still holds the group.
}

}  // namespace gcsflux::internal
