#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <thread>

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

TEST_F(TrickleFault, SendsAtTheGivenRate) {
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

TEST_F(TrickleFault, ReadsAtTheGivenRate) {
  Inject({.type = "trickle", .bytes_per_second = 100}, {.operation = "storage.objects.insert"});
  auto inserted = std::async(std::launch::async, [&] { return Insert("object", Bytes(20)).status; });
  for (int taken = 0; taken < 20; taken += 5) {
    emulator().clock().AwaitWaiters(1);
    EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o/object").status, 404) << taken << " bytes were taken";
    emulator().clock().Advance(milliseconds(50));
  }
  // The answer is not faster.
  while (inserted.wait_for(std::chrono::seconds(0)) == std::future_status::timeout) {
    emulator().clock().Advance(milliseconds(50));
    std::this_thread::yield();
  }
  EXPECT_EQ(inserted.get(), 200);
  EXPECT_EQ(Fired(), 1U);
  EXPECT_EQ(Stored("object"), Bytes(20));
}

TEST_F(TrickleFault, SkipsRequestsWithoutBytes) {
  ASSERT_EQ(Insert("object", "content").status, 200);
  Inject({.type = "trickle", .bytes_per_second = 1});
  EXPECT_EQ(Call("DELETE", "/storage/v1/b/bucket/o/object").status, 204);
  EXPECT_EQ(Fired(), 0U);
}

}  // namespace
}  // namespace gcsflux::emulator
