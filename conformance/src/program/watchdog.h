#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace gcsflux::conformance {

/// Calls `expired` on a thread of its own, unless it is destroyed within `limit`.
class Watchdog {
 public:
  Watchdog(std::chrono::seconds limit, std::function<void()> expired)
      : thread_([this, limit, expired = std::move(expired)] {
          std::unique_lock lock(mutex_);
          if (!ended_.wait_for(lock, limit, [this] { return has_ended_; })) expired();
        }) {}
  ~Watchdog() {
    {
      const std::scoped_lock lock(mutex_);
      has_ended_ = true;
    }
    ended_.notify_all();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  std::mutex mutex_;  // guards what follows
  bool has_ended_ = false;
  std::condition_variable ended_;
  std::thread thread_;
};

}  // namespace gcsflux::conformance
