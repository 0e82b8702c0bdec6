#include "transfer/download/download_threads.h"

#include <algorithm>
#include <utility>

#include "base/start_thread.h"

namespace gcsflux::internal {

DownloadThreads::DownloadThreads(std::size_t threads) {
  shortage_ =
      StartThreads(threads_, std::max<std::size_t>(1, threads), [this](const std::stop_token& stop) { Serve(stop); });
}

DownloadThreads::~DownloadThreads() = default;

void DownloadThreads::Offer(const std::shared_ptr<Workload>& workload) {
  {
    const std::scoped_lock lock(mutex_);
    ++workload->offers_;
    if (std::find(workloads_.begin(), workloads_.end(), workload) == workloads_.end()) workloads_.push_back(workload);
  }
  work_came_.notify_one();
}

void DownloadThreads::Serve(const std::stop_token& stop) {
  while (true) {
    std::shared_ptr<Workload> workload;
    std::uint64_t offers = 0;
    {
      std::unique_lock lock(mutex_);
      if (!work_came_.wait(lock, stop, [&] { return !workloads_.empty(); })) return;
      std::rotate(workloads_.begin(), workloads_.begin() + 1, workloads_.end());
      workload = workloads_.back();
      offers = workload->offers_;
    }
    if (const auto task = TakeOf(workload, offers)) task();
  }
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
