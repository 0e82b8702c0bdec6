#include "base/stop_after.h"

#include <gtest/gtest.h>

#include <semaphore>

namespace gcsflux {
namespace {

using std::chrono::milliseconds;

// Whether the token is stopped within this time.
bool IsStoppedWithin(milliseconds patience, milliseconds delay) {
  const internal::StopAfter limit(delay);
  std::binary_semaphore stopped(0);
  const std::stop_callback on_stop(limit.token(), [&] { stopped.release(); });
  return stopped.try_acquire_for(patience);
}

TEST(StopAfter, StopsAfterItsDelay) { EXPECT_TRUE(IsStoppedWithin(std::chrono::minutes(1), milliseconds(1))); }

TEST(StopAfter, NeverStopsWithoutALimit) { EXPECT_FALSE(IsStoppedWithin(milliseconds(50), milliseconds::max())); }

}  // namespace
}  // namespace gcsflux
