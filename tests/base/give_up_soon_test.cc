#include "base/give_up_soon.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

namespace gcsflux::internal {
namespace {

TEST(GiveUpSoon, StopsWhoWaitsForAnAnswerThatDoesNotCome) {
  bool was_stopped = false;
  GiveUpSoon(
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

TEST(GiveUpSoon, WaitsNoLongerThanForTheAnswer) {
  bool was_stopped = true;
  GiveUpSoon([&](const std::stop_token& stop) { was_stopped = stop.stop_requested(); }, std::chrono::hours(1));
  EXPECT_FALSE(was_stopped);
}

}  // namespace
}  // namespace gcsflux::internal
