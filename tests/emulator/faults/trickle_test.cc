#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "emulator/faults/fault_test.h"

namespace gcsflux::emulator {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

class TrickleFault : public FaultTest {
 protected:
  TrickleFault() { emulator().clock().Freeze(); }

  std::uint64_t Sent() { return emulator().journal().back().bytes_out; }
};

TEST_F(TrickleFault, SendsSoManyBytesPerSecond) {
  ASSERT_EQ(Insert("object", Bytes(250)).status, 200);
  Inject({.type = "trickle", .bytes_per_second = 1000});
  auto read = std::async(std::launch::async, [&] { return Read("object").body; });
  for (std::uint64_t sent = 0; sent < 250; sent += 50) {
    SCOPED_TRACE(sent);
    emulator().clock().AwaitWaiters(1);
    EXPECT_EQ(Sent(), sent);
    emulator().clock().Advance(milliseconds(50) - nanoseconds(1));
    EXPECT_EQ(Sent(), sent);
    emulator().clock().Advance(nanoseconds(1));
    while (emulator().journal().back().bytes_out == sent) std::this_thread::yield();
  }
  EXPECT_EQ(read.get(), Bytes(250));
  EXPECT_EQ(Fired(), 1U);
}

TEST_F(TrickleFault, TakesSoManyBytesPerSecond) {
  Inject({.type = "trickle", .bytes_per_second = 100}, {.operation = "storage.objects.insert"});
  const Clock::Time begin = emulator().clock().Now();
  auto inserted = std::async(std::launch::async, [&] { return Insert("object", Bytes(20)).status; });
  while (inserted.wait_for(std::chrono::seconds(0)) == std::future_status::timeout) {
    emulator().clock().Advance(milliseconds(10));
    std::this_thread::yield();
  }
  EXPECT_EQ(inserted.get(), 200);
  // 20 bytes take 200 ms; the answer, of some 800, follows at the same rate.
  EXPECT_GE(emulator().clock().Now() - begin, milliseconds(200) + milliseconds(4000));
  EXPECT_EQ(Fired(), 1U);
  EXPECT_EQ(Stored("object"), Bytes(20));
}

TEST_F(TrickleFault, LeavesARequestAloneThatMovesNoBytes) {
  ASSERT_EQ(Insert("object", "content").status, 200);
  Inject({.type = "trickle", .bytes_per_second = 1});
  EXPECT_EQ(Call("DELETE", "/storage/v1/b/bucket/o/object").status, 204);
  EXPECT_EQ(Fired(), 0U);
}

}  // namespace
}  // namespace gcsflux::emulator
