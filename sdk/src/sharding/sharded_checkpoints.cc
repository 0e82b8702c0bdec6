#include "gcsflux/checkpoints/sharded_checkpoints.h"

#include <utility>

#include "checkpoints/step_store.h"
#include "sharding/load_sharded.h"
#include "sharding/save_messages.h"
#include "sharding/sharded_save.h"
#include "sharding/stop_after.h"
#include "sharding/work_of_ranks.h"

namespace gcsflux {

namespace {

// With a store of its own, whose requests end when the ranks give up.
CheckpointSteps Apart(const CheckpointSteps& steps) {
  const internal::StepStore& store = internal::StoreOf(steps);
  auto apart = CheckpointSteps::Open(store.client(), store.uri(), store.call(), store.stop());
  return apart.ok() ? *std::move(apart) : steps;
}

}  // namespace

struct ShardedCheckpoints::State {
  // Rank 0 reads the manifest.
  template <class ReadStep>
  Result<LatestStep> ReadOnRank0(const ReadStep& read) {
    std::string message;
    const internal::WorkOfRank0 work = [&](std::atomic<std::uint64_t>&) {
      const Result<LatestStep> step = read();
      message = step.ok() ? internal::FormatStep(*step) : internal::FormatFailure(step.error());
    };
    if (auto done = internal::WorkOnRank0(group, options.deadline, steps, work, {}); !done.ok()) return done.error();
    const auto told = group.Broadcast(std::move(message), {.deadline = options.deadline});
    if (!told.ok()) return told.error();
    return internal::ParseStep(*told);
  }

  const CheckpointSteps steps;
  Collective& group;
  const ShardedOptions options;
  std::optional<StepWriter> writer = {};  // Rank 0's, from the first save on.
};

ShardedCheckpoints::ShardedCheckpoints(CheckpointSteps steps, Collective& group, ShardedOptions options)
    : state_(new State{Apart(steps), group, std::move(options)}) {}
ShardedCheckpoints::ShardedCheckpoints(ShardedCheckpoints&&) noexcept = default;
ShardedCheckpoints& ShardedCheckpoints::operator=(ShardedCheckpoints&&) noexcept = default;

ShardedCheckpoints::~ShardedCheckpoints() {
  if (!state_ || !state_->writer) return;
  // If this fails, the next run is refused unless it takes the prefix over, as after a crash.
  const internal::StopAfter limit(state_->options.deadline);
  internal::StoreOf(state_->steps).StopBy(limit.token());
  static_cast<void>(state_->writer->Release().ok());
}

Result<SavedStep> ShardedCheckpoints::Save(const CheckpointManifest& about, std::span<const PartToSave> parts,
                                           CommitMode mode, const std::stop_token& stop) {
  internal::ShardedSave save(state_->steps, state_->group, state_->options, state_->writer);
  auto saved = save.Run(about, parts, mode, stop);
  if (saved.ok()) return saved;
  Error error = saved.error();
  error.message = "save of step " + std::to_string(about.step) + " of " + state_->steps.uri() + ": " + error.message;
  return error;
}

Error ShardedCheckpoints::FailSave(std::int64_t step, const Error& why, const std::stop_token& stop) {
  internal::ShardedSave save(state_->steps, state_->group, state_->options, state_->writer);
  Error error = save.Refuse(step, why, stop);
  error.message = "save of step " + std::to_string(step) + " of " + state_->steps.uri() + ": " + error.message;
  return error;
}

Result<LatestStep> ShardedCheckpoints::Read(std::int64_t step) {
  return state_->ReadOnRank0([&]() -> Result<LatestStep> {
    auto stored = state_->steps.Read(step);
    if (!stored.ok()) return stored.error();
    return LatestStep{.stored = *std::move(stored)};
  });
}

Result<LatestStep> ShardedCheckpoints::Latest() {
  return state_->ReadOnRank0([&] { return state_->steps.Latest(); });
}

Result<void> ShardedCheckpoints::Load(const CheckpointManifest& step, std::span<const PartToLoad> parts,
                                      const std::stop_token& stop) {
  auto loaded = internal::LoadOnAllRanks(state_->steps, state_->group, state_->options, step, parts, stop);
  if (loaded.ok()) return loaded;
  Error error = loaded.error();
  error.message = "load of step " + std::to_string(step.step) + " of " + state_->steps.uri() + ": " + error.message;
  return error;
}

}  // namespace gcsflux
