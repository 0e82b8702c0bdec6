#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/process/mutex.h"
#include "loop/task_source.h"

namespace gcsflux::internal {

/// Threads that decode samples of several streams, one of each in turn. Work that needs much processor time, or that is
/// user code, must not run on an event loop. Thread-safe. The destructor waits for running work. If user code calls it
/// from one of these threads, it does not wait for that thread.
class DecodeThreads {
 public:
  /// If the system starts fewer threads, those do the work.
  explicit DecodeThreads(std::size_t threads);
  ~DecodeThreads();
  DecodeThreads(const DecodeThreads&) = delete;
  DecodeThreads& operator=(const DecodeThreads&) = delete;

  /// Asks the source for work until it has none. Call it each time the source has received work.
  void Offer(const std::shared_ptr<TaskSource>& source);

 private:
  // Each thread holds it, since one may end later than this object.
  struct Shared {
    Mutex mutex;
    std::condition_variable_any has_work;
    TaskSourceQueue queue GUARDED_BY(mutex);
  };
  static void Serve(Shared& shared, const std::stop_token& stop);

  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::vector<std::jthread> threads_;
};

}  // namespace gcsflux::internal
