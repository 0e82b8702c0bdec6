#include "shaping/pacer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <list>

#include "shaping/stream_pacer.h"

namespace gcsflux::emulator {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

const Clock::Time kBegin = Clock::Time(seconds(1'700'000'000));

TEST(Pacer, SendsBytesAfterThoseBeforeThem) {
  Pacer pacer;
  EXPECT_EQ(pacer.Reserve(kBegin, 1000, 1e6), kBegin);
  EXPECT_EQ(pacer.Reserve(kBegin, 2000, 1e6), kBegin + milliseconds(1));
  EXPECT_EQ(pacer.Reserve(kBegin, 1, 1e6), kBegin + milliseconds(3));
  EXPECT_EQ(pacer.Reserve(kBegin, 1, 1e6), kBegin + microseconds(3001));
}

TEST(Pacer, CompensatesLateWakeUps) {
  Pacer pacer;
  pacer.Reserve(kBegin, 10'000, 1e6);
  const Clock::Time late = kBegin + milliseconds(40);
  EXPECT_EQ(pacer.Reserve(late, 10'000, 1e6), kBegin + milliseconds(10));
  EXPECT_EQ(pacer.Reserve(late, 10'000, 1e6), kBegin + milliseconds(20));
}

TEST(Pacer, AllowsNoBurstAfterIdleTime) {
  Pacer pacer;
  pacer.Reserve(kBegin, 1000, 1e6);
  const Clock::Time later = kBegin + seconds(5);
  EXPECT_EQ(pacer.Reserve(later, 1000, 1e6), later);
  EXPECT_EQ(pacer.Reserve(later, 1000, 1e6), later + milliseconds(1));
}

TEST(Pacer, AppliesANewRateFromThenOn) {
  Pacer pacer;
  pacer.Reserve(kBegin, 1000, 1e6);
  EXPECT_EQ(pacer.Reserve(kBegin, 1000, 1e5), kBegin + milliseconds(1));
  EXPECT_EQ(pacer.Reserve(kBegin, 1000, 1e6), kBegin + milliseconds(11));
}

TEST(Pacer, KeepsARateForALongTime) {
  Pacer pacer;
  Clock::Time last = kBegin;
  for (int i = 0; i <= 3'000'000; ++i) last = pacer.Reserve(last, 1000, 3e6);  // a third of a millisecond each
  const auto error = last - (kBegin + seconds(1000));
  EXPECT_LT(std::abs(std::chrono::duration<double>(error).count()), 0.002);
}

// The bytes of all slices that are due in the first second, in steps of that time.
std::size_t BytesOfASecond(StreamPacer& stream, StreamPacer* other = nullptr) {
  std::size_t bytes = 0;
  for (Clock::Time now = kBegin; now < kBegin + seconds(1);) {
    const StreamPacer::Slice slice = stream.Take(now, 1 << 30);
    if (other != nullptr) other->Take(now, 1 << 30);
    bytes += slice.bytes;
    now = std::max(now, slice.at);
  }
  return bytes;
}

TEST(StreamPacer, CutsASingleStreamIntoMillisecondSlices) {
  for (const double megabytes : {1, 10, 100, 250}) {
    LiveShaping shaping({.stream_read_mbps = megabytes});
    StreamPacer stream(shaping, Direction::kRead, "bucket");
    EXPECT_EQ(stream.Take(kBegin, 1 << 30).bytes, static_cast<std::size_t>(megabytes * 1000)) << megabytes;
    EXPECT_NEAR(static_cast<double>(BytesOfASecond(stream)), megabytes * 1e6, megabytes * 2e3) << megabytes;
  }
}

TEST(StreamPacer, SharesABucketsRate) {
  LiveShaping shaping({.bucket_write_mbps = 10});
  StreamPacer one(shaping, Direction::kWrite, "bucket");
  StreamPacer other(shaping, Direction::kWrite, "bucket");
  StreamPacer elsewhere(shaping, Direction::kWrite, "another");
  EXPECT_NEAR(static_cast<double>(BytesOfASecond(one, &other)), 5e6, 5e4);
  EXPECT_EQ(elsewhere.Take(kBegin, 1).at, kBegin);
}

TEST(StreamPacer, UsesTheLowerOfTwoRates) {
  LiveShaping shaping({.stream_read_mbps = 100, .bucket_read_mbps = 5});
  StreamPacer stream(shaping, Direction::kRead, "bucket");
  EXPECT_NEAR(static_cast<double>(BytesOfASecond(stream)), 5e6, 5e4);
}

TEST(StreamPacer, FollowsAChangeOfRate) {
  LiveShaping shaping({.stream_read_mbps = 1});
  StreamPacer stream(shaping, Direction::kRead, "bucket");
  EXPECT_EQ(stream.Take(kBegin, 1 << 30).bytes, 1000U);
  shaping.Set({.stream_read_mbps = 4});
  EXPECT_EQ(stream.Take(kBegin, 1 << 30).bytes, 4000U);
  shaping.Set({});
  EXPECT_EQ(stream.Take(kBegin, 1 << 20).bytes, std::size_t{1} << 20);
}

TEST(StreamPacer, WakesManyStreamsLessOften) {
  LiveShaping shaping({.stream_read_mbps = 1});
  std::list<StreamPacer> streams;
  for (int i = 0; i < 256; ++i) streams.emplace_back(shaping, Direction::kRead, "bucket");
  EXPECT_EQ(streams.front().Take(kBegin, 1 << 30).bytes, 25'600U);
  while (streams.size() > 1) streams.pop_back();
  EXPECT_EQ(streams.front().Take(kBegin, 1 << 30).bytes, 1000U);
}

}  // namespace
}  // namespace gcsflux::emulator
