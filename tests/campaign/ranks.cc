// Steps that ranks save together, and that another number of ranks loads.
#include "campaign/operations.h"
#include "campaign/worker.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "sharding/part_bytes.h"
#include "sharding/rank_threads.h"
#include "sharding/sharded_checkpoints.h"

namespace gcsflux::campaign {
namespace {

// Each rank's result, and the newest step that it saw.
struct Outcome {
  Result<void> result = {};
  std::int64_t step = 0;
};

std::shared_ptr<internal::StepStore> StoreOf(const Worker& worker) {
  const ObjectName run{worker.common().bucket, worker.extra("ranks") + "run"};
  return internal::StoreOf(crash::Must(CheckpointSteps::Open(worker.client(), ToUri(run))));
}

std::vector<TensorPart> PartsOf(int rank, int world_size, std::int64_t rows) {
  return {crash::Must(Sharded("weight", DType::kFloat32, {rows, 16}, {.rank = rank, .world_size = world_size})),
          {.name = "bias", .shape = {rows}}};
}

Outcome SaveOn(internal::MessageGroup& group, const Worker& worker, std::int64_t rows, const std::stop_token& stop) {
  ShardedCheckpoints checkpoints(StoreOf(worker), group, {.keep = KeepRules{.last = 2}, .take_over = true});
  const auto latest = checkpoints.Latest();
  const bool is_first = !latest && latest.error().code == ErrorCode::kNotFound;
  if (!latest && !is_first) return {.result = latest.error()};
  const auto own = testing::OwnedParts::Filled(PartsOf(group.rank(), group.world_size(), rows));
  const std::int64_t step = is_first ? 1 : latest->stored.manifest.step + 1;
  const auto saved = checkpoints.Save({.step = step, .metadata = {{"rows", std::to_string(rows)}}}, own.ToSave(),
                                      CommitMode::kCreate, stop);
  if (!saved) return {.result = saved.error()};
  return {.step = step};
}

// The newest step has the bytes of its own number of rows.
Outcome LoadOn(internal::MessageGroup& group, const Worker& worker, const std::stop_token& stop) {
  ShardedCheckpoints checkpoints(StoreOf(worker), group);
  const auto latest = checkpoints.Latest();
  if (!latest) return {.result = latest.error()};
  const CheckpointManifest& manifest = latest->stored.manifest;
  const auto rows = manifest.metadata.find("rows");
  if (rows == manifest.metadata.end()) return {.step = -1};
  auto own = testing::OwnedParts::Empty(PartsOf(group.rank(), group.world_size(), std::stoll(rows->second)));
  const auto parts = own.ToLoad();
  if (auto loaded = checkpoints.Load(manifest, parts, stop); !loaded) return {.result = loaded};
  if (own.bytes != testing::OwnedParts::Filled(own.parts).bytes) return {.step = -1};
  return {.step = manifest.step};
}

// Faults break a group; all ranks get the same error.
void CheckRanks(Worker& worker, const std::vector<Outcome>& outcomes, const RandomStop& stop) {
  const MayFail may{
      .at_once = true,
      .with = {ErrorCode::kBadResponse, ErrorCode::kCorrupted, ErrorCode::kOutcomeUnknown, ErrorCode::kSessionLost,
               ErrorCode::kPreconditionFailed, ErrorCode::kUndecodable, ErrorCode::kAborted, ErrorCode::kNotFound}};
  for (const Outcome& outcome : outcomes) {
    if (!worker.Check(outcome.result, stop, may)) continue;
    if (outcome.step < 0) throw Violation("a rank loads other bytes than were saved, or no metadata");
    if (outcome.step != outcomes.front().step) throw Violation("ranks see different steps");
  }
}

void SaveOnRanks(Worker& worker) {
  const auto rows = static_cast<std::int64_t>(1 + worker.chance().Below(100));
  const RandomStop stop(worker.chance());
  CheckRanks(worker,
             testing::OnRanks<Outcome>(2 + static_cast<int>(worker.chance().Below(2)),
                                       [&](auto& group) { return SaveOn(group, worker, rows, stop.token()); }),
             stop);
}

void LoadOnRanks(Worker& worker) {
  const RandomStop stop(worker.chance());
  CheckRanks(worker,
             testing::OnRanks<Outcome>(1 + static_cast<int>(worker.chance().Below(3)),
                                       [&](auto& group) { return LoadOn(group, worker, stop.token()); }),
             stop);
}

}  // namespace

std::vector<Operation> RankOperations() {
  return {{"save on ranks", 1, SaveOnRanks}, {"load on ranks", 1, LoadOnRanks}};
}

}  // namespace gcsflux::campaign
