#include "transfer/object_reader/request_pace.h"

#include <gtest/gtest.h>

namespace gcsflux::internal {
namespace {

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

}  // namespace
}  // namespace gcsflux::internal
