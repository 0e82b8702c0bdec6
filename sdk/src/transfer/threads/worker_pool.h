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

/// Threads that do the work of many callers. Thread-safe; the destructor waits for running work.
class WorkerPool {
 public:
  /// If the system starts fewer threads, those do the work, and `observer` (unless null) is told. If it starts none,
  /// the thread that calls Run() does the work.
  explicit WorkerPool(std::size_t threads, Observer* observer = nullptr);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Calls `work(index, stop)` for every index below `count`, and returns when all calls have returned. Over all
  /// callers at most as many run at a time as there are threads. The earliest failure is the result: it asks the others
  /// to stop, and indices that have not begun are left out. Batches are served in their order.
  using Work = std::function<Result<void>(std::size_t index, const std::stop_token& stop)>;
  Result<void> Run(std::size_t count, const Work& work, const std::stop_token& stop = {});

 private:
  struct Batch;
  static Result<void> RunHere(std::size_t count, const Work& work, const std::stop_token& stop);
  void Serve(const std::stop_token& stop);
  static void Finish(Batch& batch, const Result<void>& result);

  std::mutex mutex_;
  std::condition_variable_any has_work_;
  std::deque<std::shared_ptr<Batch>> batches_;  // With indices that have not begun. Guarded by mutex_.
  std::vector<std::jthread> threads_;           // Last: they end before the members that they use.
};

}  // namespace gcsflux::internal
