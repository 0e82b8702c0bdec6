#include "base/process/run_with_time_limit.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

namespace gcsflux::internal {
namespace {

TEST(RunWithTimeLimit, StopsAWaitWithoutAnAnswer) {
  bool was_stopped = false;
  RunWithTimeLimit(
      [&](const std::stop_token& stop) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any answer;
        answer.wait(lock, stop, [] { return false; });
        was_stopped = stop.stop_requested();
      },
      std::chrono::milliseconds(1));
  EXPECT_TRUE(was_stopped);
}

TEST(RunWithTimeLimit, ReturnsAsSoonAsTheAnswerArrives) {
  bool was_stopped = true;
  RunWithTimeLimit([&](const std::stop_token& stop) { was_stopped = stop.stop_requested(); }, std::chrono::hours(1));
  EXPECT_FALSE(was_stopped);
}

}  // namespace
}  // namespace gcsflux::internal
