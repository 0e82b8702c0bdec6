#include "transfer/threads/worker_pool.h"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "base/process/start_thread.h"

namespace gcsflux::internal {

struct WorkerPool::Batch {
  Batch(std::size_t batch_count, const Work& batch_work) : count(batch_count), work(batch_work) {}

  const std::size_t count;
  const Work& work;
  std::stop_source stop = {};
  std::size_t begun = 0;  // Guarded by WorkerPool::mutex_.

  std::mutex mutex = {};
  std::condition_variable all_done = {};
  std::size_t done = 0;             // Guarded by mutex.
  std::optional<Error> first = {};  // Guarded by mutex.
};

namespace {

Result<void> Do(const WorkerPool::Work& work, std::size_t index, const std::stop_token& stop) {
  try {
    return work(index, stop);
  } catch (const std::bad_alloc&) {  // There are more threads than the memory allows.
    return Error{ErrorCode::kLocalIo, "out of memory: lower the number of requests at a time (max_concurrency)"};
  }
}

Error NotBegun() { return {ErrorCode::kCancelled, "cancelled before it began"}; }

}  // namespace

WorkerPool::WorkerPool(std::size_t threads, Observer* observer) {
  const std::size_t wanted = std::max<std::size_t>(1, threads);
  const auto shortage = StartThreads(threads_, wanted, [this](const std::stop_token& stop) { Serve(stop); });
  if (shortage && observer != nullptr) {
    observer->ShortOfThreads({.wanted = wanted, .started = threads_.size(), .cause = *shortage});
  }
}

WorkerPool::~WorkerPool() = default;

Result<void> WorkerPool::Run(std::size_t count, const Work& work, const std::stop_token& stop) {
  if (count == 0) return {};
  if (threads_.empty()) return RunHere(count, work, stop);
  const auto batch = std::make_shared<Batch>(count, work);
  const std::stop_callback pass_on(stop, [&] { batch->stop.request_stop(); });
  {
    const std::scoped_lock lock(mutex_);
    batches_.push_back(batch);
  }
  has_work_.notify_all();
  std::unique_lock lock(batch->mutex);
  batch->all_done.wait(lock, [&] { return batch->done == batch->count; });
  if (batch->first) return *batch->first;
  return {};
}

Result<void> WorkerPool::RunHere(std::size_t count, const Work& work, const std::stop_token& stop) {
  for (std::size_t index = 0; index < count; ++index) {
    if (stop.stop_requested()) return NotBegun();
    if (auto done = Do(work, index, stop); !done) return done;
  }
  return {};
}

void WorkerPool::Serve(const std::stop_token& stop) {
  while (true) {
    std::shared_ptr<Batch> batch;
    std::size_t index = 0;
    {
      std::unique_lock lock(mutex_);
      if (!has_work_.wait(lock, stop, [&] { return !batches_.empty(); })) return;
      batch = batches_.front();
      index = batch->begun++;
      if (batch->begun == batch->count) batches_.pop_front();
    }
    // A stopped batch is emptied without calls of its work.
    const bool is_stopped = batch->stop.stop_requested();
    Finish(*batch, is_stopped ? NotBegun() : Do(batch->work, index, batch->stop.get_token()));
  }
}

void WorkerPool::Finish(Batch& batch, const Result<void>& result) {
  bool is_first_failure = false;
  {
    const std::scoped_lock lock(batch.mutex);
    if (!result && !batch.first) {
      batch.first = result.error();
      is_first_failure = true;
    }
  }
  if (is_first_failure) batch.stop.request_stop();  // This calls user code: not under the lock.
  const std::scoped_lock lock(batch.mutex);
  if (++batch.done == batch.count) batch.all_done.notify_all();
}

}  // namespace gcsflux::internal
