#include "quotas/key_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace gcsflux::emulator {
namespace {

using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

const Clock::Time kStart = Clock::Time(seconds(1'700'000'000));

KeyRanges::Settings SettingsOf(double reads_per_second, nanoseconds split_after = minutes(20)) {
  return {.rates = {.reads = TokenRate::Of(reads_per_second, 50)}, .split_after = split_after};
}

std::string ObjectNumber(int number) { return "object-" + std::to_string(100 + number % 100); }

// A client that reads the objects by turns.
class Reader {
 public:
  explicit Reader(KeyRanges& ranges) : ranges_(ranges) {}

  // At that rate until `end`, but not at it.
  void ReadUntil(Clock::Time end, int per_second) {
    for (; now_ < end; now_ += nanoseconds(1'000'000'000 / per_second)) {
      ranges_.Record(now_, false, ObjectNumber(next_++));
    }
  }

 private:
  KeyRanges& ranges_;
  Clock::Time now_ = kStart;
  int next_ = 0;
};

TEST(KeyRanges, SplitAfterTwentyMinutesNearTheLimit) {
  KeyRanges ranges(kStart, SettingsOf(10));
  Reader reader(ranges);
  reader.ReadUntil(kStart + minutes(20), 10);
  EXPECT_EQ(ranges.size(), 1U);
  ranges.Record(kStart + minutes(20) - nanoseconds(1), false, "object-150");
  EXPECT_EQ(ranges.size(), 1U);
  ranges.Record(kStart + minutes(20), false, "object-150");
  EXPECT_EQ(ranges.size(), 2U);
}

TEST(KeyRanges, AtMostDoubleInTwentyMinutes) {
  KeyRanges ranges(kStart, SettingsOf(10));
  Reader reader(ranges);
  std::vector<std::size_t> sizes = {1};
  for (int minute = 1; minute <= 100; ++minute) {
    reader.ReadUntil(kStart + minutes(minute), 160);
    sizes.push_back(ranges.size());
    const std::size_t before = sizes[static_cast<std::size_t>(std::max(0, minute - 20))];
    EXPECT_LE(ranges.size(), 2 * before) << "after " << minute << " minutes";
  }
  EXPECT_GE(ranges.size(), 8U);
}

TEST(KeyRanges, StayWholeBelowFourFifthsOfTheLimit) {
  KeyRanges ranges(kStart, SettingsOf(10));
  Reader(ranges).ReadUntil(kStart + minutes(60), 7);
  EXPECT_EQ(ranges.size(), 1U);
}

TEST(KeyRanges, StartOverAfterAPause) {
  KeyRanges ranges(kStart, SettingsOf(10));
  Reader reader(ranges);
  reader.ReadUntil(kStart + minutes(15), 10);
  reader.ReadUntil(kStart + minutes(18), 1);
  reader.ReadUntil(kStart + minutes(37), 10);
  EXPECT_EQ(ranges.size(), 1U);
  reader.ReadUntil(kStart + minutes(39), 10);
  EXPECT_EQ(ranges.size(), 2U);
}

TEST(KeyRanges, SplitSoonerInAcceleratedTime) {
  KeyRanges ranges(kStart, SettingsOf(10, seconds(20)));
  Reader reader(ranges);
  reader.ReadUntil(kStart + seconds(20), 10);
  EXPECT_EQ(ranges.size(), 1U);
  reader.ReadUntil(kStart + seconds(21), 10);
  EXPECT_EQ(ranges.size(), 2U);
}

TEST(KeyRanges, SplitAtTheMiddleOfTheLoad) {
  KeyRanges ranges(kStart, SettingsOf(10));
  Reader(ranges).ReadUntil(kStart + minutes(21), 10);
  ASSERT_EQ(ranges.size(), 2U);
  const Clock::Time now = kStart + minutes(21);
  const RequestLimits* low = &ranges.Record(now, false, "object-110");
  const RequestLimits* high = &ranges.Record(now, false, "object-190");
  EXPECT_NE(low, high);
  EXPECT_EQ(&ranges.Record(now, false, "a"), low);
  EXPECT_EQ(&ranges.Record(now, false, "z"), high);
}

TEST(KeyRanges, RampANewPrefixByItself) {
  KeyRanges ranges(kStart, SettingsOf(10));
  Reader reader(ranges);
  reader.ReadUntil(kStart + minutes(70), 80);
  ASSERT_GE(ranges.size(), 4U);
  std::set<const RequestLimits*> limits;
  for (int i = 0; i < 100; ++i) {
    limits.insert(&ranges.Record(kStart + minutes(70), false, "new/" + ObjectNumber(i)));
  }
  EXPECT_EQ(limits.size(), 1U) << "names of a new prefix have to share one range's limit";
}

TEST(KeyRanges, CannotSplitOneName) {
  KeyRanges ranges(kStart, SettingsOf(10));
  for (Clock::Time now = kStart; now < kStart + minutes(45); now += std::chrono::milliseconds(100)) {
    ranges.Record(now, false, "hot");
  }
  EXPECT_EQ(ranges.size(), 1U);
}

TEST(KeyRanges, HaveTheFullLimitEach) {
  KeyRanges ranges(kStart, SettingsOf(10, minutes(1)));
  Reader(ranges).ReadUntil(kStart + seconds(61), 10);
  ASSERT_EQ(ranges.size(), 2U);
  const Clock::Time now = kStart + seconds(70);
  EXPECT_EQ(ranges.Record(now, false, "object-110").reads.per_second(), 10);
  EXPECT_EQ(ranges.Record(now, false, "object-190").reads.per_second(), 10);
}

}  // namespace
}  // namespace gcsflux::emulator
