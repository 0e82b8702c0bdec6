#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "events/observer.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Threads that share the work of many callers. Thread-safe; destruction waits for what is running.
class WorkerPool {
 public:
  /// Where the system starts fewer threads, `observer` hears of it unless null, and those do the work; where it starts
  /// none, the thread that calls Run() does.
  explicit WorkerPool(std::size_t threads, Observer* observer = nullptr);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Calls `work(index, stop)` for every index below `count`, at most threads at a time over all callers, and returns
  /// when all have returned. The first failure (in time) is the result: it asks the others to stop, and what has not
  /// begun is left out. Batches are served one after another in the order in which they came.
  using Work = std::function<Result<void>(std::size_t index, const std::stop_token& stop)>;
  Result<void> Run(std::size_t count, const Work& work, const std::stop_token& stop = {});

 private:
  struct Batch;
  static Result<void> RunHere(std::size_t count, const Work& work, const std::stop_token& stop);
  void Serve(const std::stop_token& stop);
  static void Finish(Batch& batch, Result<void> result);

  std::mutex mutex_;
  std::condition_variable_any work_came_;
  std::deque<std::shared_ptr<Batch>> batches_;  // With indices not yet begun. Guarded by mutex_.
  std::vector<std::jthread> threads_;           // Last: they end before the members that they use.
};

}  // namespace gcsflux::internal
