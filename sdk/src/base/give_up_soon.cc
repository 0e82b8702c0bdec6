#include "base/give_up_soon.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "base/fork.h"
#include "base/start_thread.h"

namespace gcsflux::internal {
namespace {

class Timer {
 public:
  explicit Timer(std::chrono::milliseconds patience)
      : thread_([this, patience](const std::stop_token& done) {
          std::unique_lock lock(mutex_);
          alarm_.wait_for(lock, done, patience, [] { return false; });
          over_.request_stop();
        }) {}

  [[nodiscard]] std::stop_token over() const { return over_.get_token(); }

 private:
  std::stop_source over_;
  std::mutex mutex_;
  std::condition_variable_any alarm_;
  const std::jthread thread_;  // Last: it ends before the members that it uses.
};

}  // namespace

// Without a thread to tell when it is over, it is over at once.
void GiveUpSoon(const std::function<void(std::stop_token)>& tell, std::chrono::milliseconds patience) {
  const auto timer = TryToStart([&] { return BoundToProcess(std::make_unique<Timer>(patience)); });
  if (timer) return tell((*timer)->over());
  std::stop_source over;
  over.request_stop();
  tell(over.get_token());
}

}  // namespace gcsflux::internal
