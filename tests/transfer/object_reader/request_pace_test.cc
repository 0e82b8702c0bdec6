#include "transfer/object_reader/request_pace.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace gcsflux::internal {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST(EvenChunk, UsesAllConnectionsInFewRounds) {
  EXPECT_EQ(EvenChunk(76, 16, 4, 12), 5U);     // One round of 16 requests, where chunks of 12 take 7 connections.
  EXPECT_EQ(EvenChunk(298, 16, 4, 12), 10U);   // Two rounds.
  EXPECT_EQ(EvenChunk(1074, 16, 4, 12), 12U);  // Six.
  EXPECT_EQ(EvenChunk(193, 16, 4, 12), 7U);  // One byte more than a round takes: two rounds, and no request of a byte.
}

TEST(EvenChunk, StaysWithinItsLimits) {
  EXPECT_EQ(EvenChunk(20, 16, 4, 12), 4U);
  EXPECT_EQ(EvenChunk(3, 16, 4, 12), 4U);
  EXPECT_EQ(EvenChunk(1'000, 1, 4, 12), 12U);
  EXPECT_EQ(EvenChunk(1'000, 16, 5, 5), 5U);
  EXPECT_EQ(EvenChunk(~std::uint64_t{0}, 1, 1, ~std::uint64_t{0}), ~std::uint64_t{0});
}

TEST(RequestPace, KnowsNothingBeforeARequestHasEnded) {
  const RequestPace pace;
  EXPECT_EQ(pace.BytesPerFirstByte(), std::nullopt);
  EXPECT_EQ(pace.BytesPerQuickFirstByte(), std::nullopt);
}

TEST(RequestPace, TakesTheTimeOfAnotherRequestUntilAReadHasEnded) {
  EXPECT_LE(RequestPace(microseconds(400)).BytesPerQuickFirstByte(), 1'000U);      // A service on this machine.
  EXPECT_EQ(RequestPace(microseconds(3'500)).BytesPerQuickFirstByte(), 800'000U);  // 100 MB/s, 4 times 2 ms.
  EXPECT_EQ(RequestPace(milliseconds(41)).BytesPerQuickFirstByte(), RequestPace::kMostAssumedBytes);
  EXPECT_EQ(RequestPace(milliseconds(41)).BytesPerFirstByte(), std::nullopt);
}

TEST(RequestPace, LeavesOutWhatThisProcessNeedsItself) {
  RequestPace pace;
  pace.Note(microseconds(1'400), milliseconds(1), 1'000'000);
  EXPECT_LE(pace.BytesPerQuickFirstByte(), 10'000U);
  RequestPace distant(microseconds(400));  // What a read has shown counts.
  distant.Note(microseconds(21'500), milliseconds(100), 6'000'000);
  EXPECT_NEAR(static_cast<double>(*distant.BytesPerQuickFirstByte()), 4 * 0.020 * 60e6, 1e3);
}

}  // namespace
}  // namespace gcsflux::internal
