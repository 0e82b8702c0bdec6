#include "base/time_limits.h"

#include <gtest/gtest.h>

namespace gcsflux::conformance {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(TimeLimits, LimitACaseByItsTimeAndTheRuns) {
  TimeLimits::Clock::time_point now{};
  TimeLimits limits(seconds(10), seconds(25), [&now] { return now; });
  limits.BeginCase();
  EXPECT_EQ(limits.left(), seconds(10));
  now += seconds(9);
  EXPECT_EQ(limits.left(), seconds(1));
  limits.BeginCase();
  EXPECT_EQ(limits.left(), seconds(10));
  now += seconds(15);
  EXPECT_EQ(limits.left(), milliseconds(0));
  limits.BeginCase();
  EXPECT_EQ(limits.left(), seconds(1)) << "the run's last one";
  EXPECT_FALSE(limits.is_run_over());
}

TEST(TimeLimits, LeaveTimeForCleanupAfterTheRun) {
  TimeLimits::Clock::time_point now{};
  TimeLimits limits(seconds(10), seconds(25), [&now] { return now; });
  now += seconds(25);
  limits.BeginCase();
  EXPECT_EQ(limits.left(), milliseconds(0));
  EXPECT_TRUE(limits.is_run_over());
  limits.BeginCleaning();
  EXPECT_EQ(limits.left(), seconds(10));
}

}  // namespace
}  // namespace gcsflux::conformance
