// A save or a load if one rank fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sharding/announcement.h"
#include "sharding/ranks/work_of_ranks.h"
#include "sharding/save_messages.h"
#include "sharding/sharded_fixture.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::OnRanks;
using testing::OwnedParts;
using testing::RankParts;
using testing::ValueOf;

/// A run whose step 1 was saved by three ranks.
class ShardedFailuresTest : public testing::ShardedFixture {
 protected:
  void SetUp() override {
    RunFixture::SetUp();
    for (const auto& saved : SaveOnRanks(SomeParts(3))) ASSERT_TRUE(saved.ok()) << saved.error().message;
  }

  // Step 1 remains the newest one, and can be loaded. The next save with rules removes the files of this one.
  void ExpectOnlyStep1() {
    EXPECT_THAT(WholeSteps(), ElementsAre(1));
    ExpectLoads(SomeParts(2));
    for (const auto& saved : SaveOnRanks(SomeParts(3), 3, {.keep = KeepRules{.last = 2}, .take_over = true})) {
      EXPECT_TRUE(saved.ok());
    }
    for (const auto& name : Names()) EXPECT_THAT(name, Not(HasSubstr("step-00000002")));
  }

  static std::string ExpectSame(const std::vector<std::string>& messages) {
    for (const std::string& message : messages) EXPECT_EQ(message, messages.front());
    return messages.front();
  }
  std::string FailedSave(const ShardedOptions& options = {}) const {
    std::vector<std::string> messages;
    for (const auto& saved : SaveOnRanks(SomeParts(3), 2, options)) messages.push_back(ErrorOf(saved).message);
    return ExpectSame(messages);
  }
};

TEST_F(ShardedFailuresTest, FailsOnAllRanksIfOneMayNotWrite) {
  Fail({.object_glob = "**shard-00002-**"}, {.type = "status", .status = 403});
  EXPECT_THAT(FailedSave(), AllOf(HasSubstr("save of step 2 of gs://bkt/runs/7/: rank 1: "), HasSubstr("403")));
  ExpectFired();
  for (const auto& name : Names()) EXPECT_THAT(name, Not(HasSubstr("step-00000002"))) << "the others delete theirs";
  ExpectOnlyStep1();
}

// Files that a failed save could not delete do not belong to a running save.
TEST_F(ShardedFailuresTest, RemovesFilesOfAFailedSaveWithTheNextStep) {
  emulator_.faults().Load(
      {.rules = {
           {.name = "it", .match = {.object_glob = "**shard-00002-**"}, .action = {.type = "status", .status = 403}},
           {.name = "stays",
            .match = {.operation = "storage.objects.delete"},
            .action = {.type = "status", .status = 403}}}});
  std::uint64_t left = 0;
  const auto saved = OnRanks<bool>(3, [&](internal::MessageGroup& group) {
    ShardedCheckpoints run = On(group, {.keep = KeepRules{.last = 2}, .take_over = true});
    const OwnedParts own = OwnedParts::Filled(SomeParts(3)[static_cast<std::size_t>(group.rank())]);
    EXPECT_FALSE(run.Save({.step = 2}, own.ToSave()).ok());
    if (group.rank() == 0) {  // No rank writes the next step before rank 0 orders it.
      left = emulator_.faults().Fired("stays");
      ExpectFired();
    }
    return run.Save({.step = 3}, own.ToSave()).ok();
  });
  EXPECT_THAT(saved, ElementsAre(true, true, true));
  EXPECT_GE(left, 1U);
  EXPECT_THAT(WholeSteps(), ElementsAre(1, 3));
  for (const auto& name : Names()) EXPECT_THAT(name, Not(HasSubstr("step-00000002")));
}

TEST_F(ShardedFailuresTest, FailsOnAllRanksIfNoByteMoves) {
  Fail({.object_glob = "**shard-00003-**"}, {.type = "stall", .duration = std::chrono::hours(1)});
  const ShardedOptions options{.deadline = std::chrono::milliseconds(300)};
  EXPECT_THAT(FailedSave(options),
              AllOf(HasSubstr("no byte moved on any rank for 300 ms"), HasSubstr("not ready: rank 2;")));
  ExpectFired();
  ExpectOnlyStep1();
}

TEST_F(ShardedFailuresTest, FailsOnAllRanksIfOneIsCancelled) {
  std::stop_source stop;
  Fail({.object_glob = "**shard-00001-**"}, {.type = "stall", .duration = std::chrono::hours(1)});
  const auto messages = OnRanks<std::string>(3, [&](internal::MessageGroup& group) {
    const OwnedParts own = OwnedParts::Filled(SomeParts(3)[static_cast<std::size_t>(group.rank())]);
    if (group.rank() == 1) stop.request_stop();
    return ErrorOf(On(group).Save({.step = 2}, own.ToSave(), CommitMode::kCreate,
                                  group.rank() == 1 ? stop.get_token() : std::stop_token()))
        .message;
  });
  EXPECT_THAT(ExpectSame(messages), HasSubstr("rank 1: "));
  emulator_.faults().Clear();
  ExpectOnlyStep1();
}

TEST_F(ShardedFailuresTest, FailsAtOnceOnTheOthersIfARankEnds) {
  for (const int ended : {0, 1, 2}) {
    const auto messages = OnRanks<std::string>(3, [&](internal::MessageGroup& group) {
      if (group.rank() == ended) return std::string();
      const OwnedParts own = OwnedParts::Filled(SomeParts(3)[static_cast<std::size_t>(group.rank())]);
      return ErrorOf(On(group).Save({.step = 2}, own.ToSave())).message;
    });
    for (int rank = 0; rank < 3; ++rank) {
      if (rank == ended) continue;
      EXPECT_THAT(messages[static_cast<std::size_t>(rank)], HasSubstr("rank " + std::to_string(ended) + ": has ended"));
    }
  }
  ExpectOnlyStep1();
}

// A rank that writes its shard as it should, and ends before it reports it.
std::string EndAfterTheShard(internal::MessageGroup& group, internal::StepStore& steps, const OwnedParts& own) {
  const auto announced =
      group.Gather(internal::FormatAnnouncement({.host = "", .uri = steps.uri(), .step = 2}, own.parts));
  EXPECT_TRUE(internal::WorkOnRank0(group, std::chrono::seconds(60), steps, {}, {}).ok()) << "the plan";
  const auto order = internal::ParseOrder(ValueOf(group.Scatter({})));
  const internal::WorkOfRank work = [&](std::atomic<std::uint64_t>&, const std::stop_token&) -> Result<void> {
    const auto file = WriteStepFile(steps, order->name, [](const ByteSink& sink) { return sink(AsBytes("shard")); });
    return file.ok() ? Result<void>() : file.error();
  };
  EXPECT_TRUE(announced.ok());
  EXPECT_TRUE(internal::WorkOnAllRanks(group, std::chrono::seconds(60), work, {}).ok());
  return "rank 2: has ended";
}

TEST_F(ShardedFailuresTest, CommitsNoManifestIfARankEndsAfterItsShard) {
  const auto messages = OnRanks<std::string>(3, [&](internal::MessageGroup& group) {
    const OwnedParts own = OwnedParts::Filled(SomeParts(3)[static_cast<std::size_t>(group.rank())]);
    if (group.rank() == 2) return EndAfterTheShard(group, *Store(), own);
    return ErrorOf(On(group).Save({.step = 2}, own.ToSave())).message;
  });
  for (const std::string& message : messages) EXPECT_THAT(message, HasSubstr("rank 2: has ended"));
  EXPECT_THAT(Names(), ::testing::Contains(HasSubstr("step-00000002"))) << "shards of the save";
  ExpectOnlyStep1();
}

// Another program deletes the file of rank 1 when it is stored and rank 0 still writes its own.
TEST_F(ShardedFailuresTest, CommitsNoManifestIfAShardIsMissing) {
  std::string gone;  // Used by rank 0 alone.
  const auto delete_shard = [&](const Progress&) {
    while (gone.empty()) {
      for (const std::string& name : Names()) {
        const bool is_of_step = name.find("step-00000002/") != std::string::npos;
        if (is_of_step && name.find("shard-00002-") != std::string::npos) gone = name;
      }
      if (!gone.empty()) Delete(gone);
    }
  };
  const auto messages = OnRanks<std::string>(3, [&](internal::MessageGroup& group) {
    const OwnedParts own = OwnedParts::Filled(SomeParts(3)[static_cast<std::size_t>(group.rank())]);
    ShardedOptions options;
    if (group.rank() == 0) options.file.on_progress = delete_shard;
    return ErrorOf(On(group, options).Save({.step = 2}, own.ToSave())).message;
  });
  ASSERT_NE(gone, "");
  EXPECT_THAT(ExpectSame(messages), HasSubstr(gone));
  ExpectOnlyStep1();
}

TEST_F(ShardedFailuresTest, NamesContradictionsOnAllRanks) {
  RankParts ranks = SomeParts(3);
  ranks[2].front() = ranks[1].front();
  ranks[2].front().sizes[0] += 1;
  std::vector<std::string> messages;
  for (const auto& saved : SaveOnRanks(ranks, 2)) messages.push_back(ErrorOf(saved).message);
  EXPECT_THAT(ExpectSame(messages), AllOf(HasSubstr("tensor 'weight'"), HasSubstr("overlap")));
  ExpectOnlyStep1();
}

TEST_F(ShardedFailuresTest, RefusesASecondRun) {
  const StepWriter other = *Start();
  EXPECT_THAT(FailedSave(), HasSubstr("is written by run " + other.identity().id));
}

TEST_F(ShardedFailuresTest, RefusesAnExistingStepWithoutLeavingShards) {
  const auto before = Names();
  std::vector<std::string> messages;
  for (const auto& saved : SaveOnRanks(SomeParts(3), 1)) messages.push_back(ErrorOf(saved).message);
  EXPECT_THAT(ExpectSame(messages), HasSubstr("is there already"));
  EXPECT_EQ(Names(), before);
}

TEST_F(ShardedFailuresTest, RefusesBytesOfAnotherLength) {
  const auto messages = OnRanks<std::string>(2, [&](internal::MessageGroup& group) {
    OwnedParts own = OwnedParts::Filled({{.name = "x", .shape = {4}}});
    if (group.rank() == 1) own.bytes[0].pop_back();
    return ErrorOf(On(group).Save({.step = 2}, own.ToSave())).message;
  });
  EXPECT_THAT(ExpectSame(messages), HasSubstr("rank 1: tensor 'x' has 15 bytes"));
  ExpectOnlyStep1();
}

TEST_F(ShardedFailuresTest, FailsALoadOnAllRanksIfOneMayNotRead) {
  const CheckpointManifest manifest = Stored(1).manifest;
  Fail({.operation = "storage.objects.get", .object_glob = "**shard-00002-**"}, {.type = "status", .status = 403});
  const auto messages = OnRanks<std::string>(3, [&](internal::MessageGroup& group) {
    OwnedParts own = OwnedParts::Empty(SomeParts(3)[static_cast<std::size_t>(group.rank())]);
    return ErrorOf(On(group).Load(manifest, own.ToLoad())).message;
  });
  ExpectFired();
  EXPECT_THAT(ExpectSame(messages), AllOf(HasSubstr("load of step 1 of gs://bkt/runs/7/: rank "), HasSubstr("403")));
  ExpectLoads(SomeParts(3));
}

TEST_F(ShardedFailuresTest, FailsALoadOnAllRanksIfOneCannotStart) {
  const CheckpointManifest manifest = Stored(1).manifest;
  const auto messages = OnRanks<std::string>(3, [&](internal::MessageGroup& group) {
    ShardedCheckpoints run = On(group);
    OwnedParts own = OwnedParts::Empty(SomeParts(3)[static_cast<std::size_t>(group.rank())]);
    const auto load = [&] { return run.Load(manifest, own.ToLoad()); };
    const Error error = group.rank() == 2 ? run.FailLoad(1, {ErrorCode::kLocalIo, "no memory"}) : ErrorOf(load());
    EXPECT_EQ(error.code, ErrorCode::kLocalIo);
    EXPECT_TRUE(load().ok()) << "the group is usable";
    return error.message;
  });
  EXPECT_EQ(ExpectSame(messages), "load of step 1 of gs://bkt/runs/7/: rank 2 cannot load: no memory");
}

TEST_F(ShardedFailuresTest, RefusesRanksWithDifferentSteps) {
  const CheckpointManifest manifest = Stored(1).manifest;
  const auto messages = OnRanks<std::string>(3, [&](internal::MessageGroup& group) {
    ShardedCheckpoints run = On(group);
    std::string all = ErrorOf(run.Read(group.rank() == 1 ? 7 : 1)).message;
    all += "\n" + ErrorOf(group.rank() == 2 ? run.Latest() : run.Read(1)).message;
    OwnedParts own = OwnedParts::Empty(SomeParts(3)[static_cast<std::size_t>(group.rank())]);
    const Error other = group.rank() == 0 ? ErrorOf(run.Latest()) : ErrorOf(run.Load(manifest, own.ToLoad()));
    EXPECT_THAT(other.message, HasSubstr("rank 1: its call is the load of step 1 of"));
    EXPECT_TRUE(run.Latest().ok()) << "the group is usable";
    return all;
  });
  const std::string all = ExpectSame(messages);
  EXPECT_THAT(all, HasSubstr("rank 1: its call is the read of step 7 of gs://bkt/runs/7/, and that of rank 0 is the "
                             "read of step 1 of gs://bkt/runs/7/; all ranks must make the same calls"));
  EXPECT_THAT(all, HasSubstr("rank 2: its call is the read of the newest step of"));
}

TEST_F(ShardedFailuresTest, AllowsSlowLoadsThatProgress) {
  const RankParts ranks = {{{.name = "large", .shape = {256 << 10}}}};  // 1 MiB.
  ValueOf(SaveOnRanks(ranks, 2)[0]);
  Fail({.operation = "storage.objects.get", .object_glob = "**shard-00001-**"},
       {.type = "stall", .duration = std::chrono::milliseconds(100)});
  const ShardedOptions options{.deadline = std::chrono::seconds(1),
                               .reader = {.max_concurrency = 1, .range_bytes = 64U << 10}};
  EXPECT_EQ(ValueOf(LoadOnRanks(ranks, options)[0]), OwnedParts::Filled(ranks[0]).bytes);
  EXPECT_GE(emulator_.faults().Fired("it"), 16U);
}

// The winning job may be displaced directly after its commit: its error says that it cannot rely on the step.
TEST_F(ShardedFailuresTest, AdmitsOneOfTenJobs) {
  std::atomic<int> winners = 0;
  std::vector<std::jthread> jobs;
  jobs.reserve(10);
  for (int i = 0; i < 10; ++i) {
    jobs.emplace_back([&] {
      const auto outcomes = SaveOnRanks(SomeParts(2), 2, {.take_over = true});
      EXPECT_EQ(outcomes[0].ok(), outcomes[1].ok());
      const bool was_displaced_after =
          !outcomes[0].ok() && outcomes[0].error().message.find("was saved") != std::string::npos;
      if (outcomes[0].ok() || was_displaced_after) ++winners;
    });
  }
  jobs.clear();
  EXPECT_EQ(winners, 1);
  EXPECT_THAT(WholeSteps(), ElementsAre(1, 2));
  ExpectLoads(SomeParts(3));
}

}  // namespace
}  // namespace gcsflux
