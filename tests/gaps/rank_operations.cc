// Steps that two ranks save and load together; threads stand for them.
#include <gtest/gtest.h>

#include <algorithm>

#include "gaps/gap_operation.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "sharding/part_bytes.h"
#include "sharding/rank_threads.h"
#include "sharding/sharded_checkpoints.h"
#include "support/result.h"

namespace gcsflux::testing {
namespace {

constexpr auto kRanksRun = "gs://bkt/ranks/7";

std::vector<TensorPart> PartsOf(int rank) {
  return {*Sharded("weight", DType::kFloat32, {64, 32}, {.rank = rank, .world_size = 2})};
}

ShardedCheckpoints On(const Client& client, Collective& group, const std::stop_token& stop, bool takes_over = false) {
  return {ValueOf(internal::OpenStepStore(client, kRanksRun, {}, stop)),
          group,
          {.take_over = takes_over, .file = {.stop = stop}, .reader = {.max_concurrency = 1, .stop = stop}}};
}

// The same on both ranks.
Result<void> Same(const std::vector<Result<void>>& results) {
  EXPECT_EQ(results[0].ok(), results[1].ok());
  if (results[0] || results[1]) return results[0];
  EXPECT_EQ(results[0].error().message, results[1].error().message);
  return results[0];
}

Result<void> SaveOnRanks(const Client& client, std::int64_t step, const std::stop_token& stop = {},
                         bool takes_over = false) {
  return Same(OnRanks<Result<void>>(2, [&](internal::MessageGroup& group) {
    const OwnedParts own = OwnedParts::Filled(PartsOf(group.rank()));
    return WithoutValue(
        On(client, group, stop, takes_over).Save({.step = step}, own.ToSave(), CommitMode::kCreate, stop));
  }));
}

Result<void> LoadOnRanks(const Client& client, const std::stop_token& stop = {}) {
  return Same(OnRanks<Result<void>>(2, [&](internal::MessageGroup& group) -> Result<void> {
    ShardedCheckpoints checkpoints = On(client, group, stop);
    const auto latest = checkpoints.Latest();
    if (!latest) return latest.error();
    OwnedParts own = OwnedParts::Empty(PartsOf(group.rank()));
    const auto parts = own.ToLoad();
    if (auto loaded = checkpoints.Load(latest->stored.manifest, parts, stop); !loaded) return loaded;
    EXPECT_EQ(own.bytes, OwnedParts::Filled(PartsOf(group.rank())).bytes);
    return {};
  }));
}

GapOperation OfRanks(std::string name,
                     std::function<Result<void>(GapWorld&, const Client&, const std::stop_token&)> run) {
  return {.name = std::move(name),
          .prepare =
              [](GapWorld& world) {
                for (const std::int64_t step : {1, 2}) EXPECT_TRUE(SaveOnRanks(world.rival(), step).ok());
              },
          .run = std::move(run),
          .overwrite =
              [](GapWorld& world) {
                const auto saved = SaveOnRanks(world.rival(), 4, {}, true);
                EXPECT_TRUE(saved.ok() || saved.error().code == ErrorCode::kAlreadyExists) << ErrorOf(saved).message;
              },
          .remove =
              [](GapWorld& world) {
                const auto steps = *CheckpointSteps::Open(world.rival(), kRanksRun);
                EXPECT_TRUE(steps.Remove(2).ok());
              },
          .check = [](GapWorld& world) { EXPECT_TRUE(LoadOnRanks(world.rival()).ok()); }};
}

GapOperation SaveOfRanks() {
  return OfRanks("SaveOfRanks", [](GapWorld&, const Client& client, const std::stop_token& stop) {
    return SaveOnRanks(client, 4, stop);
  });
}

GapOperation LoadOfRanks() {
  return OfRanks("LoadOfRanks", [](GapWorld&, const Client& client, const std::stop_token& stop) {
    return LoadOnRanks(client, stop);
  });
}

}  // namespace

std::vector<GapOperation> RankOperations() { return {SaveOfRanks(), LoadOfRanks()}; }

}  // namespace gcsflux::testing
