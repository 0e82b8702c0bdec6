#include "transfer/give_up_soon.h"

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/start_thread.h"

namespace gcsflux::internal {

void GiveUpSoon(const std::function<void(std::stop_token)>& tell, std::chrono::milliseconds patience) {
  std::stop_source over;
  std::mutex mutex;
  std::condition_variable_any alarm;
  const auto timer = StartThread([&](const std::stop_token& done) {
    std::unique_lock lock(mutex);
    alarm.wait_for(lock, done, patience, [] { return false; });
    over.request_stop();
  });
  if (!timer) over.request_stop();
  tell(over.get_token());
}

}  // namespace gcsflux::internal
