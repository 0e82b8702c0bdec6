#include "gcsflux/emulator/clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using std::chrono::hours;
using std::chrono::nanoseconds;
using std::chrono::system_clock;

TEST(Clock, IsTheMachinesTimeUntilMoved) {
  const Clock clock;
  const Clock::Time before = system_clock::now();
  const Clock::Time now = clock.Now();
  EXPECT_LE(before, now);
  EXPECT_LE(now, system_clock::now());
}

TEST(Clock, ContinuesFromTheTimeItWasMovedTo) {
  Clock clock;
  clock.Advance(hours(24));
  clock.Advance(hours(24));
  const Clock::Time before = system_clock::now();
  const Clock::Time now = clock.Now();
  EXPECT_LE(before + hours(48), now);
  EXPECT_LE(now, system_clock::now() + hours(48));
}

TEST(Clock, WakesAWaiterWhenMovedToItsTime) {
  Clock clock;
  clock.Freeze();
  const Clock::Time due = clock.Now() + hours(1);
  bool has_come = false;
  std::jthread waiter([&](const std::stop_token& stop) { has_come = clock.WaitUntil(due, stop); });
  clock.AwaitWaiters(1);
  clock.Advance(hours(1) - nanoseconds(1));  // too early
  clock.Advance(nanoseconds(1));
  waiter.join();
  EXPECT_TRUE(has_come);
}

TEST(Clock, WakesAStoppedWaiter) {
  Clock clock;
  clock.Freeze();
  bool has_come = true;
  std::jthread waiter(
      [&](const std::stop_token& stop) { has_come = clock.WaitUntil(clock.Now() + nanoseconds(1), stop); });
  clock.AwaitWaiters(1);
  waiter.request_stop();
  waiter.join();
  EXPECT_FALSE(has_come);
}

TEST(Clock, WaitsByTheMachinesTimeUntilMoved) {
  const Clock clock;
  const Clock::Time due = clock.Now() + std::chrono::milliseconds(5);
  EXPECT_TRUE(clock.WaitUntil(due, {}));
  EXPECT_GE(system_clock::now(), due);
  Clock moved;
  const Clock::Time far = moved.Now() + hours(24 * 365);
  std::jthread waiter([&](const std::stop_token& stop) { EXPECT_TRUE(moved.WaitUntil(far, stop)); });
  moved.AwaitWaiters(1);
  moved.Advance(hours(24 * 365));
}

TEST(Clock, StandsStillWhileFrozen) {
  Clock clock;
  clock.Freeze();
  const Clock::Time frozen = clock.Now();
  EXPECT_EQ(clock.Now(), frozen);
  clock.Advance(nanoseconds(1500));
  EXPECT_EQ(clock.Now(), frozen + nanoseconds(1500));
  clock.Freeze();
  EXPECT_EQ(clock.Now(), frozen + nanoseconds(1500));
}

class ClockTest : public EmulatorTest {};

TEST_F(ClockTest, StampsStoredObjects) {
  RawConnection client(endpoint());
  emulator().clock().Freeze();
  ASSERT_EQ(client.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
  const auto insert = [&] {
    return nlohmann::json::parse(
        client.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=o", "", "x").body);
  };
  const auto first = insert();
  emulator().clock().Advance(std::chrono::seconds(7));
  const auto second = insert();
  const auto microseconds = [](const nlohmann::json& object) {
    return std::stoll(object.at("generation").get<std::string>());
  };
  EXPECT_EQ(microseconds(second) - microseconds(first), 7'000'000);
  EXPECT_LT(first.at("timeCreated").get<std::string>(), second.at("timeCreated").get<std::string>());
}

TEST_F(ClockTest, ExpiresUploadSessions) {
  RawConnection client(endpoint());
  ASSERT_EQ(client.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
  const std::string location =
      client.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=o").Header("location");
  const std::string session = location.substr(location.find("/upload/"));
  emulator().clock().Advance(hours(7 * 24) - std::chrono::minutes(5));
  EXPECT_EQ(client.Call("PUT", session, "Content-Range: bytes */*\r\n").status, 308);
  emulator().clock().Advance(std::chrono::minutes(5));
  EXPECT_EQ(client.Call("PUT", session, "Content-Range: bytes */*\r\n").status, 404);
}

}  // namespace
}  // namespace gcsflux::emulator
