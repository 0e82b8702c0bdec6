#include "dataset/decode_threads.h"

#include "base/process/start_thread.h"

namespace gcsflux::internal {

DecodeThreads::DecodeThreads(std::size_t threads) {
  static_cast<void>(StartThreads(threads_, threads, [this](const std::stop_token& stop) { Serve(stop); }));
}

void DecodeThreads::Offer(const std::shared_ptr<Workload>& workload) {
  {
    const std::scoped_lock lock(mutex_);
    queue_.Offer(workload);
  }
  has_work_.notify_one();
}

void DecodeThreads::Serve(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (has_work_.wait(lock, stop, [this] { return !queue_.is_empty(); })) {
    auto turn = queue_.Next();
    lock.unlock();
    auto task = turn.workload->Take();
    if (task) {
      has_work_.notify_one();  // There may be more work for another thread.
      task();
      task = nullptr;
      turn.workload.reset();
      lock.lock();
      continue;
    }
    lock.lock();
    queue_.HadNothing(turn);
  }
}

}  // namespace gcsflux::internal
