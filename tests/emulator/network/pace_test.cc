#include "network/pace.h"

#include <gtest/gtest.h>

namespace gcsflux::emulator {
namespace {

using std::chrono::seconds;

TEST(Pace, NeverEndsWithoutExpectedBytes) {
  Pace pace(seconds(60));
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(pace.Keeps(seconds(60), 0));
}

TEST(Pace, EndsIfTooLittleMovesInAPeriod) {
  Pace pace(seconds(60));
  pace.Expect(1024);
  for (int i = 0; i < 59; ++i) EXPECT_TRUE(pace.Keeps(seconds(1), 1));
  EXPECT_FALSE(pace.Keeps(seconds(1), 1));
}

TEST(Pace, JudgesEachPeriodByItself) {
  Pace pace(seconds(60));
  pace.Expect(1024);
  EXPECT_TRUE(pace.Keeps(seconds(1), 1'000'000));  // earlier bytes do not count later
  EXPECT_TRUE(pace.Keeps(seconds(59), 0));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(pace.Keeps(seconds(60), 1024));
  EXPECT_FALSE(pace.Keeps(seconds(60), 1023));
}

TEST(Pace, StartsOverWithNewExpectedBytes) {
  Pace pace(seconds(60));
  pace.Expect(1024);
  EXPECT_TRUE(pace.Keeps(seconds(59), 0));
  pace.Expect(1024);
  EXPECT_TRUE(pace.Keeps(seconds(59), 0));
  EXPECT_FALSE(pace.Keeps(seconds(1), 0));
}

}  // namespace
}  // namespace gcsflux::emulator
