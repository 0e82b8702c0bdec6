#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "loop/workload.h"

namespace gcsflux::internal {

/// Threads that decode samples of several streams, one of each in turn. Work that needs much processor time, or that is
/// user code, must not run on an event loop. Thread-safe; the destructor waits for running work.
class DecodeThreads {
 public:
  /// If the system starts fewer threads, those do the work.
  explicit DecodeThreads(std::size_t threads);

  /// The workload may have work: it is asked until it has none. Call it each time the workload has received work.
  void Offer(const std::shared_ptr<Workload>& workload);

 private:
  void Serve(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any has_work_;
  WorkloadQueue queue_;                // Guarded by mutex_.
  std::vector<std::jthread> threads_;  // Last: they end before the members that they use.
};

}  // namespace gcsflux::internal
