// Which requests a rule acts on, how often, and what is reported about it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "emulator/faults/fault_test.h"
#include "faults/engine/loaded_plan.h"

namespace gcsflux::emulator {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

class FaultLimitsTest : public FaultTest {
 protected:
  // The answers to so many requests: "x" if the fault fired, "." if not.
  std::string Ask(int requests) {
    std::string answers;
    for (int i = 0; i < requests; ++i) answers += Call("GET", "/storage/v1/b/bucket").status == 503 ? 'x' : '.';
    return answers;
  }
};

const FaultAction kFails{.type = "status", .status = 503};

TEST_F(FaultLimitsTest, ActsTheGivenNumberOfTimes) {
  Inject(kFails, {}, {.count = 3});
  EXPECT_EQ(Ask(5), "xxx..");
  EXPECT_THAT(emulator().faults().Counts(), ElementsAre(FaultCount{"fault", 5, 3}));
}

TEST_F(FaultLimitsTest, ActsOnTheNthOrEveryNthRequest) {
  Inject(kFails, {.nth = 3});
  EXPECT_EQ(Ask(6), "..x...");
  emulator().faults().Clear();
  Inject(kFails, {.every = 3});
  EXPECT_EQ(Ask(7), "..x..x.");
  emulator().faults().Clear();
  Inject(kFails, {.every = 2}, {.count = 2});
  EXPECT_EQ(Ask(8), ".x.x....");
}

TEST_F(FaultLimitsTest, CountsOnlyMatchingRequests) {
  Inject(kFails, {.operation = "storage.buckets.get", .nth = 2});
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o").status, 200);
  EXPECT_EQ(Ask(1), ".");
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o").status, 200);
  EXPECT_EQ(Ask(1), "x");
}

TEST_F(FaultLimitsTest, ActsDuringItsPeriod) {
  emulator().clock().Freeze();
  Inject(kFails, {}, {.not_before = seconds(10), .not_after = seconds(20)});
  EXPECT_EQ(Ask(1), ".");
  emulator().clock().Advance(seconds(10) - nanoseconds(1));
  EXPECT_EQ(Ask(1), ".");
  emulator().clock().Advance(nanoseconds(1));
  EXPECT_EQ(Ask(1), "x");
  emulator().clock().Advance(seconds(10) - nanoseconds(1));
  EXPECT_EQ(Ask(1), "x");
  emulator().clock().Advance(nanoseconds(1));
  EXPECT_EQ(Ask(1), ".");
  EXPECT_THAT(emulator().faults().Counts(), ElementsAre(FaultCount{"fault", 2, 2}));
}

TEST_F(FaultLimitsTest, MatchesTheClientsAttempts) {
  Inject(kFails, {.attempt = 1});
  const auto attempt = [&](int number) {
    return Call("GET", "/storage/v1/b/bucket",
                "x-goog-api-client: gccl-invocation-id/abc gccl-attempt-count/" + std::to_string(number) + "\r\n")
        .status;
  };
  EXPECT_EQ(attempt(1), 503);
  EXPECT_EQ(attempt(2), 200);
  EXPECT_EQ(attempt(1), 503);
  EXPECT_EQ(Ask(1), ".");
}

TEST_F(FaultLimitsTest, MatchesTheRequestsOfASessionByItsObject) {
  const std::string session = StartSession("train/object");
  Inject(kFails, {.phase = "status", .object_glob = "train/*"});
  EXPECT_EQ(Call("PUT", session, "Content-Range: bytes */*\r\n").status, 503);
  EXPECT_EQ(Call("PUT", StartSession("test/object"), "Content-Range: bytes */*\r\n").status, 308);
}

TEST_F(FaultLimitsTest, AppliesSeveralRulesToOneRequest) {
  ASSERT_EQ(Insert("object", "0123456789").status, 200);
  emulator().faults().Load({.rules = {{.name = "corrupt", .action = {.type = "corrupt", .at_byte = 0}},
                                      {.name = "cut", .action = {.type = "cut", .after_bytes = 5}},
                                      {.name = "late", .action = kFails, .limits = {.not_before = seconds(3600)}}}});
  EXPECT_EQ(Read("object").body, "11234");
  EXPECT_THAT(emulator().faults().Counts(),
              ElementsAre(FaultCount{"corrupt", 1, 1}, FaultCount{"cut", 1, 1}, FaultCount{"late", 0, 0}));
  EXPECT_THAT(emulator().journal().back().faults, ElementsAre("cut", "corrupt"))
      << "faults that remove bytes act before those that change them";
}

TEST_F(FaultLimitsTest, FiresOnlyTheFirstRuleThatAnswers) {
  emulator().faults().Load(
      {.rules = {{.name = "one", .action = kFails}, {.name = "two", .action = {.type = "status", .status = 429}}}});
  EXPECT_EQ(Ask(1), "x");
  EXPECT_THAT(emulator().faults().Counts(), ElementsAre(FaultCount{"one", 1, 1}, FaultCount{"two", 1, 0}));
}

TEST_F(FaultLimitsTest, AppliesNothingToALostAnswer) {
  ASSERT_EQ(Insert("object", "0123456789").status, 200);
  for (const FaultAction& lost : {FaultAction{.type = "reset"}, FaultAction{.type = "loseAnswer"}}) {
    SCOPED_TRACE(lost.type);
    emulator().faults().Load({.rules = {{.name = "lost", .action = lost},
                                        {.name = "again", .action = {.type = "loseAnswer"}},
                                        {.name = "cut", .action = {.type = "cut", .after_bytes = 5}}}});
    EXPECT_TRUE(Read("object").is_silent());
    EXPECT_THAT(emulator().faults().Counts(),
                ElementsAre(FaultCount{"lost", 1, 1}, FaultCount{"again", 1, 0}, FaultCount{"cut", 1, 0}));
  }
}

TEST_F(FaultLimitsTest, KeepsCountersWhenARuleIsAdded) {
  Inject(kFails, {}, {.count = 1});
  EXPECT_EQ(Ask(2), "x.");
  emulator().faults().Add({.action = kFails, .limits = {.count = 1}});
  EXPECT_EQ(Ask(2), "x.");
  EXPECT_THAT(emulator().faults().Counts(), ElementsAre(FaultCount{"fault", 4, 1}, FaultCount{"rule 2", 2, 1}));
  EXPECT_EQ(emulator().faults().Schedule().size(), 2U);
}

TEST(RuleCount, IsClaimedAtMostItsLimit) {
  RuleCount count(2);
  EXPECT_TRUE(count.Claim());
  EXPECT_TRUE(count.Claim());
  EXPECT_FALSE(count.Claim());
  EXPECT_EQ(count.fired, 2U);
}

TEST_F(FaultLimitsTest, NeverExceedsTheCountOfConcurrentRequests) {
  constexpr int kThreads = 8;
  Inject(kFails, {}, {.count = 50});
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        RawConnection client(endpoint());
        for (int j = 0; j < 25; ++j) failed += client.Call("GET", "/storage/v1/b/bucket").status == 503 ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(failed, 50);
  EXPECT_THAT(emulator().faults().Counts(), ElementsAre(FaultCount{"fault", std::uint64_t{kThreads} * 25, 50}));
}

TEST_F(FaultLimitsTest, ResetRestoresTheInitialPlan) {
  Inject(kFails);
  EXPECT_EQ(Ask(1), "x");
  emulator().Reset();
  EXPECT_EQ(emulator().faults().Plan(), FaultPlan());
  EXPECT_TRUE(emulator().faults().Schedule().empty());

  Emulator planned({.faults = {.rules = {{.name = "planned", .action = kFails, .limits = {.count = 1}}}}});
  RawConnection client(planned.endpoint());
  EXPECT_EQ(client.Call("GET", "/storage/v1/b").status, 503);
  EXPECT_EQ(client.Call("GET", "/storage/v1/b").status, 200);
  planned.faults().Clear();
  planned.Reset();
  EXPECT_EQ(client.Call("GET", "/storage/v1/b").status, 503);
  EXPECT_EQ(planned.faults().Fired("planned"), 1U);
}

}  // namespace
}  // namespace gcsflux::emulator
