#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "emulator/faults/fault_test.h"

namespace gcsflux::emulator {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

class StallFault : public FaultTest {
 protected:
  StallFault() { emulator().clock().Freeze(); }

  // Whether the read is still in flight shortly before the end of the pause, and what it has received then.
  RawExchange ReadThroughThePause(const std::string& name) {
    auto read = std::async(std::launch::async, [&] { return Read(name); });
    emulator().clock().AwaitWaiters(1);
    emulator().clock().Advance(seconds(30) - nanoseconds(1));
    EXPECT_EQ(read.wait_for(seconds(0)), std::future_status::timeout);
    emulator().clock().Advance(nanoseconds(1));
    return read.get();
  }
};

TEST_F(StallFault, PausesAfterTheGivenBytes) {
  const std::string content = Bytes(100'000);
  ASSERT_EQ(Insert("object", content).status, 200);
  for (const std::uint64_t after_bytes : {1, 1000, 99'999}) {
    SCOPED_TRACE(after_bytes);
    emulator().faults().Clear();
    Inject({.type = "stall", .after_bytes = after_bytes, .duration = seconds(30)});
    RawConnection client(endpoint());
    client.Send("GET " + MediaTarget("object") + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    emulator().clock().AwaitWaiters(1);
    // Bytes that the journal counts were sent, and no others.
    EXPECT_EQ(emulator().journal().back().bytes_out, after_bytes);
    EXPECT_EQ(Fired(), 1U);
    emulator().clock().Advance(seconds(30));
    EXPECT_TRUE(client.ReceiveAll().ends_with("\r\n\r\n" + content));
  }
}

TEST_F(StallFault, LastsItsDuration) {
  ASSERT_EQ(Insert("object", "0123456789").status, 200);
  Inject({.type = "stall", .after_bytes = 5, .duration = seconds(30)});
  EXPECT_EQ(ReadThroughThePause("object").body, "0123456789");
}

TEST_F(StallFault, HappensBeforeTheFirstByte) {
  ASSERT_EQ(Insert("object", "0123456789").status, 200);
  Inject({.type = "stall", .duration = seconds(30)});
  EXPECT_EQ(ReadThroughThePause("object").body, "0123456789");
  EXPECT_EQ(emulator().journal().back().duration, seconds(30));
}

TEST_F(StallFault, HappensBeforeAnAnswerWithoutABody) {
  ASSERT_EQ(Insert("object", "content").status, 200);
  Inject({.type = "stall", .duration = seconds(30)});
  auto deleted = std::async(std::launch::async, [&] { return Call("DELETE", "/storage/v1/b/bucket/o/object").status; });
  emulator().clock().AwaitWaiters(1);
  emulator().clock().Advance(seconds(30));
  EXPECT_EQ(deleted.get(), 204);
  EXPECT_EQ(Fired(), 1U);
}

TEST_F(StallFault, SkipsShorterAnswers) {
  ASSERT_EQ(Insert("object", "0123456789").status, 200);
  for (const std::uint64_t after_bytes : {10, 11}) {
    emulator().faults().Clear();
    Inject({.type = "stall", .after_bytes = after_bytes, .duration = seconds(30)});
    EXPECT_EQ(Read("object").body, "0123456789");
    EXPECT_EQ(Fired(), 0U);
  }
}

TEST_F(StallFault, EndsWithTheEmulator) {
  ASSERT_EQ(Insert("object", "0123456789").status, 200);
  Inject({.type = "stall", .after_bytes = 4, .duration = seconds(30)});
  auto read = std::async(std::launch::async, [&] { return Read("object"); });
  emulator().clock().AwaitWaiters(1);
  emulator().Stop();
  EXPECT_EQ(read.get().body, "0123");
}

}  // namespace
}  // namespace gcsflux::emulator
