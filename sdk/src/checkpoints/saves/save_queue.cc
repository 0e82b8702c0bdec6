#include "checkpoints/saves/save_queue.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

#include "base/process/mutex.h"
#include "base/process/no_time_limit.h"
#include "base/process/start_thread.h"

namespace gcsflux::internal {
namespace {

Error Ended(std::int64_t step, const std::string& more = "") {
  return {ErrorCode::kCancelled, "the save of step " + std::to_string(step) +
                                     " was cancelled at the end of its run; raise "
                                     "AsyncSaveOptions::end_deadline, or wait for WaitCommitted()" +
                                     (more.empty() ? "" : ": " + more)};
}

Error Replaced(std::int64_t step) {
  return {ErrorCode::kCancelled, "a newer save took the place of that of step " + std::to_string(step)};
}

void AddTo(std::optional<Error>& all, const Error& one) {
  if (all)
    all->message += "; then: " + one.message;
  else
    all = one;
}

}  // namespace

Result<std::unique_ptr<SaveQueue>> SaveQueue::Create(AsyncSaveOptions options) {
  if (options.max_in_flight < 1) {
    return Error{ErrorCode::kInvalidArgument, "AsyncSaveOptions::max_in_flight is at least 1"};
  }
  std::unique_ptr<SaveQueue> queue(new SaveQueue(std::move(options)));
  SaveQueue* const self = queue.get();
  for (const auto loop : {&SaveQueue::CopyLoop, &SaveQueue::SendLoop}) {
    auto thread = StartThread([self, loop](const std::stop_token& stop) { (self->*loop)(stop); });
    if (!thread) return thread.error();
    queue->threads_.push_back(*std::move(thread));
  }
  return queue;
}

SaveQueue::~SaveQueue() {
  {
    MutexLock lock(mutex_);
    changed_.wait_for(lock, InNanoseconds(options_.end_deadline),
                      [this]() REQUIRES(mutex_) { return in_flight_ == 0; });
  }
  cancel_.request_stop();
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
  for (std::deque<Save>* const waiting : {&to_copy_, &to_send_}) {
    for (const Save& save : *waiting) {
      save->Finish(Ended(save->request_.step), pool_);
      failed_.push_back(save);
    }
  }
  for (const Save& save : failed_) {
    const auto failure = save->TakeUnreported();
    if (failure) Report(*failure);
  }
}

// An exception would end the process.
void SaveQueue::Report(const Error& failure) const {
  try {
    if (options_.on_unreported) return options_.on_unreported(failure);
  } catch (...) {
    std::fputs("gcsflux: AsyncSaveOptions::on_unreported has thrown\n", stderr);
  }
  std::fprintf(stderr, "gcsflux: a checkpoint was not saved: %s\n", failure.message.c_str());
}

std::optional<Error> SaveQueue::TakeFailures(std::uint64_t number) {
  std::optional<Error> all;
  for (const Save& save : failed_) {
    if (save->number_ > number) continue;
    if (const auto failure = save->TakeUnreported()) AddTo(all, *failure);
  }
  return all;
}

SaveQueue::Save SaveQueue::TakeNewestWaiting() {
  for (std::deque<Save>* const waiting : {&to_copy_, &to_send_}) {
    if (waiting->empty()) continue;
    Save save = std::move(waiting->back());
    waiting->pop_back();
    return save;
  }
  return nullptr;
}

Result<void> SaveQueue::WaitForCapacity(MutexLock<Mutex>& lock, bool others_wait) {
  while (true) {
    // Checked before this save replaces another one. After that it keeps the place, whatever fails meanwhile.
    if (const auto failures = others_wait ? std::nullopt : TakeFailures(0)) return *failures;
    if (in_flight_ < options_.max_in_flight) break;
    if (options_.when_busy == WhenBusy::kRefuse) {
      return Error{ErrorCode::kUnavailable, std::to_string(in_flight_) +
                                                " saves are in flight; save less often, wait for one, or raise "
                                                "AsyncSaveOptions::max_in_flight"};
    }
    const Save replaced = options_.when_busy == WhenBusy::kReplace ? TakeNewestWaiting() : nullptr;
    if (replaced == nullptr) {
      changed_.wait(lock);
      continue;
    }
    lock.unlock();
    replaced->Finish(Replaced(replaced->request_.step), pool_);
    lock.lock();
    return {};
  }
  ++in_flight_;
  return {};
}

// If the save cannot be copied, the others are told in the order of the saves. The caller is told now.
Result<void> SaveQueue::CopyNow(const Save& save) {
  auto copied = save->Copy(pool_, options_.copy_threads);
  if (copied) return {};
  if (save->GivesUp(copied.error())) {
    save->SetReported();
    return copied;
  }
  save->Finish(copied.error(), pool_);
  const MutexLock lock(mutex_);
  --in_flight_;
  changed_.notify_all();
  return copied;
}

Result<PendingSave> SaveQueue::Submit(SaveRequest request) {
  const bool others_wait = request.give_up != nullptr;
  const auto save = std::make_shared<SaveInFlight>(std::move(request));
  std::optional<Error> error;
  {
    MutexLock lock(mutex_);
    if (auto waited = WaitForCapacity(lock, others_wait); !waited) return waited.error();
    if (save->number_ > options_.max_in_flight) error = TakeFailures(save->number_ - options_.max_in_flight);
  }
  const bool is_refused = save->request_.why_not && save->GivesUp(*save->request_.why_not);
  if (!options_.is_lazy && !is_refused) {
    const auto copied = CopyNow(save);
    if (!copied && !others_wait) return copied.error();
    if (!copied) AddTo(error, copied.error());
  }
  {
    const MutexLock lock(mutex_);
    (options_.is_lazy ? to_copy_ : to_send_).push_back(save);
    changed_.notify_all();
  }
  if (is_refused) {
    if (const auto outcome = save->WaitDone(); !outcome) AddTo(error, outcome.error());
  }
  if (!error) return PendingSave(save);
  if (options_.is_lazy) save->WaitStaged();  // The caller has no handle for it.
  return *error;
}

void SaveQueue::WaitIdle() {
  MutexLock lock(mutex_);
  changed_.wait(lock, [this]() REQUIRES(mutex_) { return in_flight_ == 0; });
}

void SaveQueue::End(const Save& save, Result<SavedStep> outcome) {
  {
    const MutexLock lock(mutex_);
    failed_.push_back(save);  // Added first: once a caller sees the end, the next save reports the failure.
  }
  save->Finish(std::move(outcome), pool_);
  const MutexLock lock(mutex_);
  --in_flight_;
  std::erase_if(failed_, [](const Save& one) { return one->is_settled(); });
  changed_.notify_all();
}

void SaveQueue::CopyLoop(const std::stop_token& stop) {
  while (true) {
    Save save;
    {
      MutexLock lock(mutex_);
      if (!changed_.wait(lock, stop, [this]() REQUIRES(mutex_) { return !to_copy_.empty(); }) || stop.stop_requested())
        return;
      save = std::move(to_copy_.front());
      to_copy_.pop_front();
    }
    const auto copied = save->why_not_ ? Result<void>() : save->Copy(pool_, options_.copy_threads);
    if (!copied && !save->GivesUp(copied.error())) {
      End(save, copied.error());
      continue;
    }
    const MutexLock lock(mutex_);
    to_send_.push_back(std::move(save));
    changed_.notify_all();
  }
}

void SaveQueue::SendLoop(const std::stop_token& stop) {
  while (true) {
    Save save;
    {
      MutexLock lock(mutex_);
      if (!changed_.wait(lock, stop, [this]() REQUIRES(mutex_) { return !to_send_.empty(); }) || stop.stop_requested())
        return;
      save = std::move(to_send_.front());
      to_send_.pop_front();
    }
    auto outcome = save->Commit(cancel_.get_token());
    const bool has_ended = cancel_.stop_requested() && !outcome && outcome.error().code == ErrorCode::kCancelled;
    if (has_ended) {
      Error ended = Ended(save->request_.step, outcome.error().message);
      ended.outcome = outcome.error().outcome;
      outcome = std::move(ended);
    }
    End(save, std::move(outcome));
  }
}

}  // namespace gcsflux::internal
