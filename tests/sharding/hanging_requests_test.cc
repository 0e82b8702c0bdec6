// No rank waits longer than the deadline for rank 0's own work, nor after its own cancellation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <map>
#include <thread>
#include <utility>

#include "sharding/sharded_fixture.h"
#include "support/fails_with.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using testing::ErrorOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::OnRanks;
using testing::OwnedParts;
using testing::RankParts;

class HangingRequestsTest : public testing::ShardedFixture {
 protected:
  static constexpr std::chrono::milliseconds kDeadline{300};

  // Requests for these objects get no answer.
  void Stall(const std::string& operation, const std::string& glob) {
    Fail({.operation = operation, .object_glob = glob}, {.type = "stall", .duration = std::chrono::hours(1)});
  }
  static void ExpectTheSame(const std::vector<Error>& errors) {
    for (const Error& error : errors) {
      EXPECT_EQ(error.message, errors.front().message);
      EXPECT_TRUE(testing::FailsWith(
          error, ErrorCode::kUnavailable,
          AllOf(HasSubstr("no byte moved on any rank for 300 ms"), HasSubstr("these are not ready: rank 0;"))));
    }
  }
};

TEST_F(HangingRequestsTest, FailASaveOnAllRanks) {
  struct Case {
    std::string operation;
    std::string glob;
  };
  std::int64_t step = 0;
  for (const Case& one : {Case{"storage.objects.insert", "**/writer"}, Case{"storage.objects.get", "**-shard-00002-**"},
                          Case{"storage.objects.get", "**/writer"}, Case{"storage.objects.insert", "**.json"}}) {
    SCOPED_TRACE(one.operation + " of " + one.glob);
    Stall(one.operation, one.glob);
    std::vector<Error> errors;
    for (const auto& saved : SaveOnRanks(SomeParts(3), ++step, {.deadline = kDeadline, .take_over = true})) {
      errors.push_back(ErrorOf(saved));
    }
    ExpectTheSame(errors);
    ExpectFired();
  }
  // The same prefix and object go on.
  for (const auto& saved : SaveOnRanks(SomeParts(3), ++step, {.keep = KeepRules{.last = 1}, .take_over = true})) {
    EXPECT_TRUE(saved.ok());
  }
  ExpectLoads(SomeParts(2));
  for (const auto& name : Names()) EXPECT_THAT(name, Not(HasSubstr("step-00000001")));
}

// Ranks 0 and 2 have written their shards when rank 1 is cancelled. A later save removes the leftovers.
TEST_F(HangingRequestsTest, DoNotDelayAFailedSaveByItsRemoval) {
  const emulator::FaultAction stall{.type = "stall", .duration = std::chrono::hours(1)};
  emulator_.faults().Load({.rules = {{.name = "write", .match = {.object_glob = "**shard-00002-**"}, .action = stall},
                                     {.name = "it",
                                      .match = {.operation = "storage.objects.delete", .object_glob = "**-shard-**"},
                                      .action = stall}}});
  std::stop_source stop;
  const std::jthread canceller([&](const std::stop_token& ended) {  // Ended once the ranks have returned.
    while (!ended.stop_requested() && Names().size() < 3) std::this_thread::yield();  // The writer's, and two shards.
    stop.request_stop();
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto errors = OnRanks<Error>(3, [&](internal::MessageGroup& group) {
    const OwnedParts own = OwnedParts::Filled(SomeParts(3)[static_cast<std::size_t>(group.rank())]);
    ShardedCheckpoints run = On(group, {.deadline = std::chrono::minutes(2)});
    return ErrorOf(run.Save({.step = 1}, own.ToSave(), CommitMode::kCreate,
                            group.rank() == 1 ? stop.get_token() : std::stop_token()));
  });
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(1)) << "half of the deadline";
  for (const Error& error : errors) EXPECT_THAT(error.message, HasSubstr("rank 1: "));
  ExpectFired();
}

TEST_F(HangingRequestsTest, KeepTheGroupUsable) {
  Stall("storage.objects.insert", "**.json");
  const auto messages = OnRanks<std::string>(3, [&](internal::MessageGroup& group) {
    ShardedCheckpoints run = On(group, {.deadline = kDeadline});
    const OwnedParts own = OwnedParts::Filled(SomeParts(3)[static_cast<std::size_t>(group.rank())]);
    EXPECT_FALSE(run.Save({.step = 1}, own.ToSave()).ok());
    static_cast<void>(group.Barrier());
    if (group.rank() == 0) ExpectFired();
    static_cast<void>(group.Barrier());
    return ErrorOf(run.Save({.step = 2}, own.ToSave())).message;
  });
  for (const auto& message : messages) EXPECT_EQ(message, "no error: it has succeeded");
}

// The step is committed before older ones are listed and removed.
TEST_F(HangingRequestsTest, DoNotFailACommittedSave) {
  std::int64_t step = 1;
  for (const auto& saved : SaveOnRanks(SomeParts(3), step)) ASSERT_TRUE(saved.ok());
  // The first listing is before the commit: it shows that no step is higher.
  for (const auto& [operation, first] :
       std::map<std::string, std::uint64_t>{{"storage.objects.list", 2}, {"storage.objects.delete", 1}}) {
    SCOPED_TRACE(operation);
    emulator::FaultPlan plan;
    for (std::uint64_t nth = first; nth < first + 20; ++nth) {
      plan.rules.push_back({.name = nth == first ? "it" : std::to_string(nth),
                            .match = {.operation = operation, .nth = nth},
                            .action = {.type = "stall", .duration = std::chrono::hours(1)}});
    }
    emulator_.faults().Load(plan);
    ++step;
    for (const auto& saved :
         SaveOnRanks(SomeParts(3), step, {.deadline = kDeadline, .keep = KeepRules{.last = 1}, .take_over = true})) {
      ASSERT_TRUE(saved.ok()) << saved.error().message;
      const bool is_listed = !saved->kept.not_removed.empty();
      ASSERT_EQ(saved->keep_error.has_value(), !is_listed);
      const Error& why = is_listed ? saved->kept.not_removed.front().problem.value() : *saved->keep_error;
      EXPECT_THAT(why.message, HasSubstr("no byte moved on any rank for 300 ms"));
    }
    ExpectFired();
    EXPECT_THAT(WholeSteps(), ::testing::Contains(step));
  }
}

// Ten steps of three shards: each deletion counts as progress.
TEST_F(HangingRequestsTest, AllowLongRemovalsThatProgress) {
  for (std::int64_t step = 1; step <= 10; ++step) {
    for (const auto& saved : SaveOnRanks(SomeParts(3), step, {.take_over = true})) ASSERT_TRUE(saved.ok());
  }
  Fail({.operation = "storage.objects.delete"}, {.type = "stall", .duration = std::chrono::milliseconds(50)});
  for (const auto& saved :
       SaveOnRanks(SomeParts(3), 11,
                   {.deadline = std::chrono::milliseconds(800), .keep = KeepRules{.last = 1}, .take_over = true})) {
    ASSERT_TRUE(saved.ok()) << saved.error().message;
    EXPECT_FALSE(saved->keep_error) << saved->keep_error->message;
    EXPECT_EQ(saved->kept.removed.size(), 10U);
  }
  EXPECT_GE(emulator_.faults().Fired("it"), 40U);
}

TEST_F(HangingRequestsTest, FailAReadOfTheNewestStepOnAllRanks) {
  for (const auto& saved : SaveOnRanks(SomeParts(3))) ASSERT_TRUE(saved.ok());
  Stall("storage.objects.get", "**.json");
  std::vector<Error> errors;
  for (const auto& loaded : LoadOnRanks(SomeParts(3), {.deadline = kDeadline})) errors.push_back(ErrorOf(loaded));
  ExpectTheSame(errors);
  ExpectFired();
}

// At this rate it takes 1.5 times the deadline, which is long, because a loaded machine may delay a piece.
TEST_F(HangingRequestsTest, AllowASlowManifestThatProgresses) {
  constexpr std::chrono::milliseconds kLong{3'000};
  RankParts ranks(2);
  for (auto& parts : ranks) {
    for (int i = 0; i < 100; ++i) parts.push_back({.name = "tensor" + std::to_string(i), .shape = {4}});
  }
  for (const auto& saved : SaveOnRanks(ranks)) ASSERT_TRUE(saved.ok());
  const auto manifest = client_.GetObject({"bkt", "runs/7/step-00000001.json"});
  ASSERT_TRUE(manifest.ok());
  Fail({.operation = "storage.objects.get", .object_glob = "**.json"},
       {.type = "trickle", .bytes_per_second = manifest->size * 1000 / (kLong.count() * 3 / 2)});
  for (const auto& read : OnRanks<Result<internal::LatestStored>>(
           2, [&](internal::MessageGroup& group) { return On(group, {.deadline = kLong}).Read(1); })) {
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->stored.manifest.tensors.size(), 100U);
  }
  ExpectFired();
}

// Rank 1 has written its shard, and waits for rank 0.
TEST_F(HangingRequestsTest, LetACancelledRankLeaveDuringTheManifest) {
  Stall("storage.objects.insert", "**.json");
  std::stop_source stop;
  const std::jthread canceller([&](const std::stop_token& ended) {
    while (!ended.stop_requested() && emulator_.faults().Fired("it") == 0) std::this_thread::yield();
    stop.request_stop();
  });
  const auto outcomes = OnRanks<std::pair<Error, std::string>>(3, [&](internal::MessageGroup& group) {
    ShardedCheckpoints run = On(group);
    const OwnedParts own = OwnedParts::Filled(SomeParts(3)[static_cast<std::size_t>(group.rank())]);
    const auto token = group.rank() == 1 ? stop.get_token() : std::stop_token();
    const Error error = ErrorOf(run.Save({.step = 1}, own.ToSave(), CommitMode::kCreate, token));
    static_cast<void>(group.Barrier());
    if (group.rank() == 0) ExpectFired();
    static_cast<void>(group.Barrier());
    return std::pair(error, ErrorOf(run.Save({.step = 2}, own.ToSave())).message);
  });
  for (const auto& [error, second] : outcomes) {
    EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kCancelled, HasSubstr("rank 1: was cancelled")));
    EXPECT_EQ(second, "no error: it has succeeded");
  }
}

// Rank 2 does not join before rank 1 has given up.
TEST_F(HangingRequestsTest, LetACancelledRankLeaveAHangingOne) {
  std::latch has_given_up(1);
  std::stop_source stop;
  const auto errors = OnRanks<Error>(3, [&](internal::MessageGroup& group) {
    if (group.rank() == 2) has_given_up.wait();
    if (group.rank() == 1) stop.request_stop();
    const OwnedParts own = OwnedParts::Filled(SomeParts(3)[static_cast<std::size_t>(group.rank())]);
    const auto saved = On(group).Save({.step = 1}, own.ToSave(), CommitMode::kCreate,
                                      group.rank() == 1 ? stop.get_token() : std::stop_token());
    if (group.rank() == 1) has_given_up.count_down();
    return ErrorOf(saved);
  });
  for (const Error& error : errors) {
    EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kCancelled, HasSubstr("rank 1: was cancelled")));
  }
}

}  // namespace
}  // namespace gcsflux
