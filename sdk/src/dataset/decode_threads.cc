#include "dataset/decode_threads.h"

#include "base/process/start_thread.h"

namespace gcsflux::internal {

DecodeThreads::DecodeThreads(std::size_t threads) {
  static_cast<void>(
      StartThreads(threads_, threads, [shared = shared_](const std::stop_token& stop) { Serve(*shared, stop); }));
}

DecodeThreads::~DecodeThreads() {
  for (std::jthread& thread : threads_) {
    thread.request_stop();
    if (thread.get_id() == std::this_thread::get_id()) thread.detach();  // It cannot wait for itself.
  }
}

void DecodeThreads::Offer(const std::shared_ptr<TaskSource>& source) {
  {
    const MutexLock lock(shared_->mutex);
    shared_->queue.Offer(source);
  }
  shared_->has_work.notify_one();
}

void DecodeThreads::Serve(Shared& shared, const std::stop_token& stop) {
  MutexLock lock(shared.mutex);
  while (shared.has_work.wait(lock, stop, [&shared]() REQUIRES(shared.mutex) { return !shared.queue.is_empty(); })) {
    auto turn = shared.queue.Next();
    lock.unlock();
    auto task = turn.source->Take();
    if (task) {
      shared.has_work.notify_one();  // There may be more work for another thread.
      task();
      task = nullptr;
      turn.source.reset();
      lock.lock();
      continue;
    }
    lock.lock();
    shared.queue.HadNothing(turn);
  }
}

}  // namespace gcsflux::internal
