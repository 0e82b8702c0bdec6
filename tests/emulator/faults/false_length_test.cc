#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/faults/fault_test.h"

namespace gcsflux::emulator {
namespace {

using ::testing::HasSubstr;

class FalseLengthFault : public FaultTest {};

TEST_F(FalseLengthFault, AnnouncesAWrongLength) {
  ASSERT_EQ(Insert("object", "0123456789").status, 200);
  struct Case {
    std::int64_t delta;
    std::string length;
  };
  for (const Case& test : {Case{1, "11"}, Case{1000, "1010"}, Case{-1, "9"}, Case{-9, "1"}}) {
    SCOPED_TRACE(test.delta);
    emulator().faults().Clear();
    Inject({.type = "falseLength", .length_delta = test.delta});
    const RawExchange exchange = Read("object");
    EXPECT_EQ(exchange.status(), 200);
    EXPECT_THAT(exchange.head + "\r\n", HasSubstr("\r\nContent-Length: " + test.length + "\r\n"));
    EXPECT_EQ(exchange.body, "0123456789");
    EXPECT_EQ(Fired(), 1U);
  }
}

TEST_F(FalseLengthFault, ClosesTheConnectionAfterwards) {
  ASSERT_EQ(Insert("object", "0123456789").status, 200);
  for (const std::int64_t delta : {-1, 1}) {
    emulator().faults().Clear();
    Inject({.type = "falseLength", .length_delta = delta});
    RawConnection client(endpoint());
    client.Send("GET " + MediaTarget("object") + " HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_TRUE(client.ReceiveAll().ends_with("\r\n\r\n0123456789"));
  }
}

TEST_F(FalseLengthFault, SkipsAnswersThatWouldBecomeEmpty) {
  ASSERT_EQ(Insert("object", "0123456789").status, 200);
  for (const std::int64_t delta : {-10, -11}) {
    emulator().faults().Clear();
    Inject({.type = "falseLength", .length_delta = delta});
    EXPECT_EQ(Read("object").body, "0123456789");
    EXPECT_EQ(Fired(), 0U);
  }
}

}  // namespace
}  // namespace gcsflux::emulator
