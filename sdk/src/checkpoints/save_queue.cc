#include "checkpoints/save_queue.h"

#include <algorithm>
#include <exception>
#include <iostream>
#include <utility>

#include "base/process/start_thread.h"

namespace gcsflux::internal {
namespace {

Error Ended(std::int64_t step) {
  return {ErrorCode::kCancelled, "the save of step " + std::to_string(step) +
                                     " was cancelled at the end of its run; raise "
                                     "AsyncSaveOptions::end_deadline, or wait for WaitCommitted()"};
}

Error Replaced(std::int64_t step) {
  return {ErrorCode::kCancelled, "a newer save took the place of that of step " + std::to_string(step)};
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
    if (!thread.ok()) return thread.error();
    queue->threads_.push_back(*std::move(thread));
  }
  return queue;
}

SaveQueue::~SaveQueue() {
  {
    std::unique_lock lock(mutex_);
    if (options_.at_end == AtEnd::kWait) {
      changed_.wait_for(lock, options_.end_deadline, [this] { return in_flight_ == 0; });
    }
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
    if (!failure) continue;
    if (options_.on_unreported)
      options_.on_unreported(*failure);
    else
      std::cerr << "gcsflux: a checkpoint was not saved: " << failure->message << '\n';
  }
}

std::optional<Error> SaveQueue::TakeFailure() {
  std::vector<Save> failed;
  {
    const std::lock_guard lock(mutex_);
    failed = std::exchange(failed_, {});
  }
  std::optional<Error> first;
  for (const Save& save : failed) {
    auto failure = first ? std::nullopt : save->TakeUnreported();
    if (failure) {
      first = std::move(failure);
    } else {
      const std::lock_guard lock(mutex_);
      failed_.push_back(save);
    }
  }
  return first;
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

Result<void> SaveQueue::MakeRoom(std::unique_lock<std::mutex>& lock) {
  while (in_flight_ >= options_.max_in_flight) {
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
    --in_flight_;
    lock.unlock();
    replaced->Finish(Replaced(replaced->request_.step), pool_);
    lock.lock();
  }
  ++in_flight_;
  return {};
}

Result<PendingSave> SaveQueue::Submit(SaveRequest request) {
  {
    std::unique_lock lock(mutex_);
    if (auto room = MakeRoom(lock); !room.ok()) return room.error();
  }
  const auto save = std::make_shared<SaveInFlight>(std::move(request));
  const bool is_eager = options_.mode == SnapshotMode::kEager;
  const auto give_up = [&](const Error& error) {
    const bool is_told = save->GivesUp(error);
    if (is_told)
      save->SetReported();
    else
      save->Finish(error, pool_);
    const std::lock_guard lock(mutex_);
    if (is_told)
      (is_eager ? to_send_ : to_copy_).push_back(save);
    else
      --in_flight_;
    changed_.notify_all();
    return error;
  };
  // A save may have failed while this one waited for room.
  if (const auto failure = TakeFailure()) return give_up(*failure);
  if (is_eager) {
    if (auto copied = save->Copy(pool_, options_.copy_threads); !copied.ok()) return give_up(copied.error());
  }
  const std::lock_guard lock(mutex_);
  (is_eager ? to_send_ : to_copy_).push_back(save);
  changed_.notify_all();
  return PendingSave(save);
}

void SaveQueue::WaitIdle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return in_flight_ == 0; });
}

void SaveQueue::Done(const Save& save) {
  const std::lock_guard lock(mutex_);
  --in_flight_;
  failed_.push_back(save);
  std::erase_if(failed_, [](const Save& one) { return one->is_settled(); });
  changed_.notify_all();
}

void SaveQueue::CopyLoop(const std::stop_token& stop) {
  while (true) {
    Save save;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return !to_copy_.empty(); }) || stop.stop_requested()) return;
      save = std::move(to_copy_.front());
      to_copy_.pop_front();
    }
    const auto copied = save->why_not_ ? Result<void>() : save->Copy(pool_, options_.copy_threads);
    if (!copied.ok() && !save->GivesUp(copied.error())) {
      save->Finish(copied.error(), pool_);
      Done(save);
      continue;
    }
    const std::lock_guard lock(mutex_);
    to_send_.push_back(std::move(save));
    changed_.notify_all();
  }
}

void SaveQueue::SendLoop(const std::stop_token& stop) {
  while (true) {
    Save save;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return !to_send_.empty(); }) || stop.stop_requested()) return;
      save = std::move(to_send_.front());
      to_send_.pop_front();
    }
    auto outcome = save->Commit(cancel_.get_token());
    const bool has_ended = cancel_.stop_requested() && !outcome.ok() && outcome.error().code == ErrorCode::kCancelled;
    if (has_ended) outcome = Ended(save->request_.step);
    save->Finish(std::move(outcome), pool_);
    Done(save);
  }
}

}  // namespace gcsflux::internal
