#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <stop_token>
#include <thread>

#include "base/leaf_stop_callback.h"
#include "base/process/mutex.h"

namespace gcsflux::internal {

/// A stop_token that is stopped some time after another one was, or after the construction. It limits the time of work.
/// If the system starts no thread, it is never stopped.
class StopAfter {
 public:
  /// The time counts from now.
  explicit StopAfter(std::chrono::milliseconds delay) : StopAfter(StoppedToken(), delay) {}
  /// The time counts from when `trigger` is stopped.
  StopAfter(const std::stop_token& trigger, std::chrono::milliseconds delay);
  StopAfter(const StopAfter&) = delete;
  StopAfter& operator=(const StopAfter&) = delete;

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

 private:
  static std::stop_token StoppedToken();
  void Run(const std::stop_token& ended, std::chrono::milliseconds delay);

  std::stop_source stop_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  bool is_triggered_ GUARDED_BY(mutex_) = false;
  LeafStopCallback<std::function<void()>> on_trigger_;
  std::jthread thread_;  // Last: it ends before what it uses.
};

}  // namespace gcsflux::internal
