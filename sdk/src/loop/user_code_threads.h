#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/process/mutex.h"

namespace gcsflux::internal {

/// What user code does, by which it gets its threads: a listener that writes a line never waits for an allocator that
/// waits until the consumer frees memory, nor for a disk.
enum class UserCode {
  kIsTold,        ///< A listener.
  kMayWait,       ///< An allocator.
  kWaitsForDisk,  ///< Not the user's: it reads or writes files.
};

/// Threads for user code that fibers call. User code may block, start processes and be slow; no loop waits for it. The
/// threads are started when they are needed. Thread-safe; the destructor waits for running calls.
class UserCodeThreads {
 public:
  /// Runs `call`, and returns when it has returned; what it throws is thrown here. For fibers. If the system starts no
  /// thread, the loop runs it.
  void Run(UserCode what, const std::function<void()>& call);

 private:
  // The threads for one kind.
  class Pool {
   public:
    Pool() = default;
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    // False if no thread will run it.
    bool Post(std::function<void()> job);

   private:
    static constexpr std::size_t kMostThreads = 3;

    void Serve(const std::stop_token& stop);

    Mutex mutex_;
    std::condition_variable_any has_work_;
    std::deque<std::function<void()>> jobs_ GUARDED_BY(mutex_);
    std::size_t idle_ GUARDED_BY(mutex_) = 0;
    std::vector<std::jthread> threads_ GUARDED_BY(mutex_);  // Last: they end before the members that they use.
  };

  Pool told_;
  Pool waiting_;
  Pool disk_;
};

/// Runs `call()`, which is user code. On a fiber, one of the UserCodeThreads runs it, because it may block.
void RunUserCode(UserCode what, const std::function<void()>& call);

}  // namespace gcsflux::internal
