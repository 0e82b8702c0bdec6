#include "http/standstill.h"

#include <gtest/gtest.h>

namespace gcsflux::internal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Standstill::Time kStart{};

TEST(Standstill, EndsAfterTheLimitWithoutProgress) {
  Standstill standstill(seconds(2), kStart);
  EXPECT_EQ(standstill.Left({}, kStart), seconds(2));
  EXPECT_EQ(standstill.Left({}, kStart + milliseconds(1'999)), milliseconds(1));
  EXPECT_EQ(standstill.Left({}, kStart + seconds(2)), seconds(0));
}

TEST(Standstill, RestartsWithAnyProgress) {
  const TransferStatistics moves[] = {{.bytes_sent = 1},
                                      {.bytes_sent = 1, .first_byte = milliseconds(7)},
                                      {.bytes_sent = 1, .bytes_received = 1, .first_byte = milliseconds(7)}};
  Standstill standstill(seconds(2), kStart);
  auto now = kStart;
  for (const TransferStatistics& moved : moves) {
    now += milliseconds(1'900);
    EXPECT_EQ(standstill.Left(moved, now), seconds(2));
  }
  EXPECT_EQ(standstill.Left(moves[2], now + seconds(3)), -seconds(1));
}

}  // namespace
}  // namespace gcsflux::internal
