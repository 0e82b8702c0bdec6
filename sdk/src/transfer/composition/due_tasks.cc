#include "transfer/composition/due_tasks.h"

#include <algorithm>
#include <utility>

#include "base/process/mutex.h"
#include "base/process/start_thread.h"

namespace gcsflux::internal {

void DueTasks::Post(Clock::time_point due, Task task) {
  bool is_due = false;
  {
    const MutexLock lock(mutex_);
    if (is_closed_) return;
    is_due = due <= Clock::now();
    waiting_.emplace(due, std::move(task));
    if (!is_due && !alarm_.joinable()) {
      if (auto alarm = StartThread([this](const std::stop_token& stop) { Alarm(stop); })) alarm_ = *std::move(alarm);
    }
    is_due = is_due ||
             !alarm_.joinable();  // Without the alarm, this call must also announce earlier tasks that have become due.
  }
  if (is_due) {
    Offer();
  } else {
    changed_.notify_all();
  }
}

void DueTasks::Offer() {
  if (const auto slots = slots_.lock()) slots->Offer(shared_from_this());
}

std::function<void()> DueTasks::Take() {
  const MutexLock lock(mutex_);
  if (waiting_.empty() || waiting_.begin()->first > Clock::now()) return nullptr;
  ++running_;
  auto taken = waiting_.extract(waiting_.begin());
  return [self = shared_from_this(), task = std::move(taken.mapped())] { self->Run(task); };
}

void DueTasks::Run(const Task& task) {
  task(stop_.get_token());
  {
    const MutexLock lock(mutex_);
    --running_;
  }
  changed_.notify_all();
}

void DueTasks::Alarm(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  Clock::time_point offered = Clock::time_point::min();  // Tasks that are due until then were announced to the threads.
  const auto next = [&]() REQUIRES(mutex_) { return waiting_.upper_bound(offered); };
  while (!stop.stop_requested()) {
    if (next() == waiting_.end()) {
      changed_.wait(lock, stop, [&]() REQUIRES(mutex_) { return next() != waiting_.end(); });
    } else if (const auto due = next()->first; due > Clock::now()) {
      // Wakes earlier if another task is due sooner.
      changed_.wait_until(lock, stop, due,
                          [&]() REQUIRES(mutex_) { return next() == waiting_.end() || next()->first < due; });
    } else {
      offered = Clock::now();
      lock.unlock();
      Offer();
      lock.lock();
    }
  }
}

// Without an alarm, this thread itself announces the tasks that become due.
void DueTasks::AwaitOver(MutexLock<Mutex>& lock, std::chrono::milliseconds patience) {
  const auto is_over = [&]() REQUIRES(mutex_) { return waiting_.empty() && running_ == 0; };
  const auto end = Clock::now() + patience;
  while (!is_over() && Clock::now() < end) {
    if (alarm_.joinable() || waiting_.empty()) {
      changed_.wait_until(lock, end);
      continue;
    }
    constexpr std::chrono::milliseconds kStep{10};  // The interval of checks for tasks that are due and not yet taken.
    changed_.wait_until(lock, std::min(end, std::max(waiting_.begin()->first, Clock::now() + kStep)));
    lock.unlock();
    Offer();
    lock.lock();
  }
}

void DueTasks::Drain(std::chrono::milliseconds patience) {
  MutexLock lock(mutex_);
  AwaitOver(lock, patience);
  is_closed_ = true;
  waiting_.clear();
  stop_.request_stop();
  changed_.wait(lock, [&]() REQUIRES(mutex_) { return running_ == 0; });
  lock.unlock();
  alarm_ = {};  // Stops and joins it.
}

}  // namespace gcsflux::internal
