#include "transfer/threads/run_on_threads.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <new>
#include <optional>
#include <thread>
#include <vector>

#include "base/process/mutex.h"
#include "base/process/start_thread.h"
#include "client/client_core.h"

namespace gcsflux::internal {
namespace {

using Work = std::function<Result<void>(std::size_t index, const std::stop_token& stop)>;

class IndexedRun {
 public:
  IndexedRun(std::size_t count, const Work& work, const std::stop_token& stop)
      : count_(count), work_(work), pass_on_(stop, [this] { stop_.request_stop(); }) {}

  Result<void> Run(std::size_t wanted, const Client& client) {
    std::vector<std::jthread> threads;
    // No thread begins before all have started: some may be ended again.
    const auto shortage = StartThreads(threads, wanted, [this](const std::stop_token& ended) {
      if (AwaitStart(ended)) Serve();
    });
    if (shortage) {
      CoreOf(client).observer().Report({.kind = EventKind::kThreadShortage,
                                        .error = &*shortage,
                                        .what = "threads",
                                        .wanted = wanted,
                                        .started = threads.size()});
    }
    Start();
    if (threads.empty()) Serve();
    for (std::jthread& thread : threads) thread.join();
    const MutexLock lock(mutex_);
    if (failure_) return *failure_;
    return {};
  }

 private:
  void Start() {
    {
      const MutexLock lock(mutex_);
      has_started_ = true;
    }
    started_.notify_all();
  }

  bool AwaitStart(const std::stop_token& ended) {
    MutexLock lock(mutex_);
    return started_.wait(lock, ended, [this]() REQUIRES(mutex_) { return has_started_; });
  }

  void Serve() {
    for (std::size_t index = next_++; index < count_; index = next_++) {
      const auto done = stop_.stop_requested() ? NotBegun() : Do(index);
      if (!done) Fail(done.error());
    }
  }

  [[nodiscard]] Result<void> Do(std::size_t index) const {
    try {
      return work_(index, stop_.get_token());
    } catch (const std::bad_alloc&) {  // There are more threads than the memory allows.
      return Error{ErrorCode::kLocalIo, "out of memory: lower the number of requests at a time (max_concurrency)"};
    } catch (const std::exception& thrown) {
      return Error{ErrorCode::kLocalIo, thrown.what()};
    }
  }

  static Result<void> NotBegun() { return Error{ErrorCode::kCancelled, "cancelled before it began"}; }

  void Fail(const Error& error) {
    {
      const MutexLock lock(mutex_);
      if (failure_) return;
      failure_ = error;
    }
    stop_.request_stop();  // This calls user code: not under the lock.
  }

  const std::size_t count_;
  const Work& work_;
  std::atomic<std::size_t> next_ = 0;
  std::stop_source stop_;
  Mutex mutex_;
  std::condition_variable_any started_;
  bool has_started_ GUARDED_BY(mutex_) = false;
  std::optional<Error> failure_ GUARDED_BY(mutex_);
  std::stop_callback<std::function<void()>> pass_on_;
};

}  // namespace

Result<void> RunOnThreads(const Client& client, std::size_t count, int threads, const Work& work,
                          const std::stop_token& stop) {
  if (count == 0) return {};
  return IndexedRun(count, work, stop).Run(std::min(count, static_cast<std::size_t>(std::max(1, threads))), client);
}

}  // namespace gcsflux::internal
