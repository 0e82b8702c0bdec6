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

/// Threads for code of the library's callers that fibers call (listeners, allocators): it may block, fork and take its
/// time, and no loop waits for it. They are started when they are needed. Thread-safe; destruction waits for what is
/// running.
class GuestThreads {
 public:
  GuestThreads() = default;
  ~GuestThreads();
  GuestThreads(const GuestThreads&) = delete;
  GuestThreads& operator=(const GuestThreads&) = delete;

  /// By a fiber: returns when `call`, which throws nothing, has returned. Where the system starts no thread at all, the
  /// loop runs it.
  void Run(const std::function<void()>& call);

 private:
  static constexpr std::size_t kMostThreads = 3;

  bool Post(std::function<void()> job);
  void Serve(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any job_came_;
  std::deque<std::function<void()>> jobs_;  // Guarded by mutex_, as what follows.
  std::size_t idle_ = 0;
  std::vector<std::jthread> threads_;  // Last: they end before the members that they use.
};

/// Runs `call()`, code of the library's callers that throws nothing: here, or where this is a fiber on a thread that
/// may block.
void RunGuest(const std::function<void()>& call);

}  // namespace gcsflux::internal
