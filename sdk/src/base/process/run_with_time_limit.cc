#include "base/process/run_with_time_limit.h"

#include <condition_variable>
#include <exception>
#include <memory>
#include <thread>

#include "base/process/mutex.h"
#include "base/process/owner_process.h"
#include "base/process/start_thread.h"

namespace gcsflux::internal {
namespace {

class Timer {
 public:
  explicit Timer(std::chrono::milliseconds limit)
      : thread_([this, limit](const std::stop_token& done) {
          MutexLock lock(mutex_);
          alarm_.wait_for(lock, done, limit, [] { return false; });
          over_.request_stop();
        }) {}

  [[nodiscard]] std::stop_token over() const { return over_.get_token(); }

 private:
  std::stop_source over_;
  Mutex mutex_;
  std::condition_variable_any alarm_;
  const std::jthread thread_;  // Last: it ends before the members that it uses.
};

}  // namespace

// If no thread can measure the time, the token asks at once.
void RunWithTimeLimit(const std::function<void(std::stop_token)>& work, std::chrono::milliseconds limit) {
  try {
    const auto timer = TryToStart([&] { return OwnedByProcess(std::make_unique<Timer>(limit)); });
    std::stop_source over;
    if (!timer) over.request_stop();
    work(timer ? (*timer)->over() : over.get_token());
  } catch (const std::exception&) {  // There is no memory for what was to be given up.
  }
}

}  // namespace gcsflux::internal
