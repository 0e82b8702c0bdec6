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

/// Threads that decode samples for several streams, one of each in turn: what takes the processor, or is code of the
/// caller's, has no place on an event loop. Thread-safe; destruction waits for what is running.
class DecodeThreads {
 public:
  /// Where the system starts fewer, those do the work.
  explicit DecodeThreads(std::size_t threads);

  /// There may be something to do: the workload is asked until it has nothing. To be called whenever it has got
  /// something since.
  void Offer(const std::shared_ptr<Workload>& workload);

 private:
  void Serve(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any work_came_;
  WorkloadQueue queue_;                // Guarded by mutex_.
  std::vector<std::jthread> threads_;  // Last: they end before the members that they use.
};

}  // namespace gcsflux::internal
