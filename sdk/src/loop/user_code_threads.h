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

namespace gcsflux::internal {

/// Threads for user code that fibers call (listeners, allocators). User code may block, fork and be slow; no loop waits
/// for it. The threads are started when they are needed. Thread-safe; the destructor waits for running calls.
class UserCodeThreads {
 public:
  UserCodeThreads() = default;
  ~UserCodeThreads();
  UserCodeThreads(const UserCodeThreads&) = delete;
  UserCodeThreads& operator=(const UserCodeThreads&) = delete;

  /// Runs `call`, which does not throw, and returns when it has returned. For fibers. If the system starts no thread,
  /// the loop runs it.
  void Run(const std::function<void()>& call);

 private:
  static constexpr std::size_t kMostThreads = 3;

  bool Post(std::function<void()> job);
  void Serve(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any has_work_;
  std::deque<std::function<void()>> jobs_;  // Guarded by mutex_, like the following members.
  std::size_t idle_ = 0;
  std::vector<std::jthread> threads_;  // Last: they end before the members that they use.
};

/// Runs `call()`, user code that does not throw. On a fiber, one of the UserCodeThreads runs it, because it may block.
void RunUserCode(const std::function<void()>& call);

}  // namespace gcsflux::internal
