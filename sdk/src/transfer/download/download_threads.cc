#include "transfer/download/download_threads.h"

#include <algorithm>
#include <utility>

#include "base/start_thread.h"

namespace gcsflux::internal {

DownloadThreads::DownloadThreads(std::size_t threads) {
  const std::scoped_lock starting(starting_mutex_);
  auto shortage =
      StartThreads(threads_, std::max<std::size_t>(1, threads), [this](const std::stop_token& stop) { Serve(stop); });
  const std::scoped_lock lock(mutex_);
  limit_ = size_ = threads_.size();
  shortage_ = std::move(shortage);
}

DownloadThreads::~DownloadThreads() {
  const std::scoped_lock starting(starting_mutex_);
  is_ending_ = true;
}

std::size_t DownloadThreads::size() const {
  const std::scoped_lock lock(mutex_);
  return size_;
}

std::size_t DownloadThreads::limit() const {
  const std::scoped_lock lock(mutex_);
  return std::min(limit_, size_);
}

std::size_t DownloadThreads::busy() const {
  const std::scoped_lock lock(mutex_);
  return busy_;
}

std::optional<Error> DownloadThreads::shortage() const {
  const std::scoped_lock lock(mutex_);
  return shortage_;
}

void DownloadThreads::SetLimit(std::size_t limit) {
  StartUpTo(limit);
  {
    const std::scoped_lock lock(mutex_);
    limit_ = std::max<std::size_t>(1, limit);
  }
  work_came_.notify_one();  // Where there is more to do, that thread wakes the next one.
}

void DownloadThreads::StartUpTo(std::size_t threads) {
  const std::scoped_lock starting(starting_mutex_);
  if (is_ending_ || threads_.size() >= threads || shortage()) return;
  std::optional<Error> failure;
  while (!failure && threads_.size() < threads) {
    const auto added = TryToStart(
        [this] { return threads_.emplace_back([this](const std::stop_token& stop) { Serve(stop); }).joinable(); });
    if (!added) failure = added.error();
  }
  {
    const std::scoped_lock lock(mutex_);
    size_ = threads_.size();
    if (!failure) return;
    // Something is left for others, as StartThreads() does. This may be one of the threads: it cannot wait for them.
    leaving_ = size_ / 4;
    size_ -= leaving_;
    shortage_ = std::move(failure);
  }
  work_came_.notify_all();
}

void DownloadThreads::Offer(const std::shared_ptr<Workload>& workload) {
  {
    const std::scoped_lock lock(mutex_);
    ++workload->offers_;
    if (std::find(workloads_.begin(), workloads_.end(), workload) == workloads_.end()) workloads_.push_back(workload);
  }
  work_came_.notify_one();
}

void DownloadThreads::Serve(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (work_came_.wait(lock, stop, [this] { return leaving_ > 0 || HasRoom(); })) {
    if (leaving_ > 0) {
      --leaving_;
      work_came_.notify_one();  // This one may have been woken for work.
      return;
    }
    ServeOne(lock);
  }
}

void DownloadThreads::ServeOne(std::unique_lock<std::mutex>& lock) {
  std::rotate(workloads_.begin(), workloads_.begin() + 1, workloads_.end());
  auto workload = workloads_.back();
  const std::uint64_t offers = workload->offers_;
  ++busy_;
  lock.unlock();
  if (const auto task = TakeOf(workload, offers)) task();
  workload.reset();
  lock.lock();
  --busy_;
}

// A workload that had nothing is left out until it is offered again, which may have been since.
std::function<void()> DownloadThreads::TakeOf(const std::shared_ptr<Workload>& workload, std::uint64_t offers) {
  auto task = workload->Take();
  if (task) {
    work_came_.notify_one();  // There may be more for another thread.
    return task;
  }
  const std::scoped_lock lock(mutex_);
  if (workload->offers_ == offers) std::erase(workloads_, workload);
  return nullptr;
}

}  // namespace gcsflux::internal
