#include "base/stop_after.h"

#include "base/process/no_time_limit.h"
#include "base/process/start_thread.h"

namespace gcsflux::internal {

StopAfter::StopAfter(const std::stop_token& trigger, std::chrono::milliseconds delay)
    : on_trigger_(trigger, [this] {
        const MutexLock lock(mutex_);
        is_triggered_ = true;
        changed_.notify_all();
      }) {
  if (!trigger.stop_possible()) return;
  auto started = StartThread([this, delay](const std::stop_token& ended) { Run(ended, delay); });
  if (started) thread_ = *std::move(started);
}

std::stop_token StopAfter::StoppedToken() {
  std::stop_source stopped;
  stopped.request_stop();
  return stopped.get_token();
}

void StopAfter::Run(const std::stop_token& ended, std::chrono::milliseconds delay) {
  MutexLock lock(mutex_);
  if (!changed_.wait(lock, ended, [this]() REQUIRES(mutex_) { return is_triggered_; })) return;
  changed_.wait_for(lock, ended, InNanoseconds(delay), [] { return false; });
  if (!ended.stop_requested()) stop_.request_stop();
}

}  // namespace gcsflux::internal
