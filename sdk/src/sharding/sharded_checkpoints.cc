#include "sharding/sharded_checkpoints.h"

#include <utility>

#include "base/moved_from.h"
#include "base/stop_after.h"
#include "checkpoints/latest_step.h"
#include "checkpoints/step_store.h"
#include "sharding/announced_read.h"
#include "sharding/load_sharded.h"
#include "sharding/save_messages.h"
#include "sharding/sharded_save.h"
#include "sharding/step_values.h"
#include "sharding/work_of_ranks.h"

namespace gcsflux {

namespace {

// The same steps with a separate store: if the ranks stop its requests, the caller's requests continue.
CheckpointSteps Apart(const CheckpointSteps& steps) {
  const internal::StepStore& store = internal::StoreOf(steps);
  auto apart = CheckpointSteps::Open(store.client(), store.uri(), store.call(), store.stop());
  return apart ? *std::move(apart) : steps;
}

}  // namespace

struct ShardedCheckpoints::State {
  // Rank 0 acts for all. `act` returns its message to the others.
  template <class Act>
  Result<std::string> OnRank0(const std::string& call, const Act& act) {
    const CollectiveLimits limits{.deadline = options.group.deadline};
    const internal::AnnouncedRead own{.call = call + " of " + steps.uri()};
    if (auto agreed = internal::AgreeOnRead(group, limits, own); !agreed) return agreed.error();
    std::string message;
    const internal::WorkOfRank0 work = [&](std::atomic<std::uint64_t>&) { message = act(); };
    if (auto done = internal::WorkOnRank0(group, options.group.deadline, steps, work, {}); !done) return done.error();
    return group.Broadcast(std::move(message), limits);
  }

  // Rank 0 reads the manifest of `which` step. `read` gives the step to the function that reads its values.
  template <class ReadStep>
  Result<LatestStep> ReadOnRank0(const std::string& which, const ReadStep& read) {
    const auto message = OnRank0("the read of " + which, [&] {
      internal::SharedStep shared;
      const auto read_values = [&](const StoredStep& step) -> Result<void> {
        if (!options.reads_values) return {};
        auto of_step = internal::ReadStepValues(steps, step.manifest, options.reader);
        if (!of_step) return of_step.error();
        shared.values = *std::move(of_step);
        return {};
      };
      Result<LatestStep> step = read(read_values);
      if (!step) return internal::FormatFailure(step.error());
      shared.step = *std::move(step);
      return internal::FormatStep(shared);
    });
    if (!message) return message.error();
    auto shared = internal::ParseStep(*message);
    if (!shared) return shared.error();
    values = std::move(shared->values);
    return std::move(shared->step);
  }

  [[nodiscard]] Error Named(const char* call, std::int64_t step, Error error) const {
    error.message =
        std::string(call) + " of step " + std::to_string(step) + " of " + steps.uri() + ": " + error.message;
    return error;
  }

  const CheckpointSteps steps;
  Collective& group;
  const ShardedOptions options;
  std::string values = {};                          // Of the step that was read last.
  std::vector<internal::DamagedStep> damaged = {};  // Since the last Latest().
  internal::SavedSteps saved = {};
};

ShardedCheckpoints::ShardedCheckpoints(const CheckpointSteps& steps, Collective& group, ShardedOptions options)
    : state_(new State{Apart(steps), group, std::move(options)}) {}
ShardedCheckpoints::ShardedCheckpoints(ShardedCheckpoints&&) noexcept = default;
ShardedCheckpoints& ShardedCheckpoints::operator=(ShardedCheckpoints&& other) noexcept {
  ShardedCheckpoints replaced(std::move(other));  // Its destructor releases the prefix of this one.
  state_.swap(replaced.state_);
  return *this;
}

ShardedCheckpoints::~ShardedCheckpoints() {
  if (!state_ || !state_->saved.writer) return;
  // If this fails, the next run is refused unless it takes the prefix over, as after a crash.
  const internal::StopAfter limit(state_->options.group.deadline);
  internal::StoreOf(state_->steps).StopBy(limit.token());
  static_cast<void>(state_->saved.writer->Release().ok());
}

Result<SavedStep> ShardedCheckpoints::Save(const CheckpointManifest& about, std::span<const PartToSave> parts,
                                           CommitMode mode, const std::stop_token& stop, std::string_view values) {
  if (!state_) return internal::MovedFrom("ShardedCheckpoints");
  internal::ShardedSave save(state_->steps, state_->group, state_->options, state_->saved);
  auto saved = save.Run(about, parts, values, mode, stop);
  if (saved) return saved;
  return state_->Named("save", about.step, saved.error());
}

Error ShardedCheckpoints::FailSave(std::int64_t step, const Error& why, const std::stop_token& stop) {
  if (!state_) return internal::MovedFrom("ShardedCheckpoints");
  internal::ShardedSave save(state_->steps, state_->group, state_->options, state_->saved);
  return state_->Named("save", step, save.Refuse(step, why, stop));
}

Result<LatestStep> ShardedCheckpoints::Read(std::int64_t step) {
  if (!state_) return internal::MovedFrom("ShardedCheckpoints");
  return state_->ReadOnRank0("step " + std::to_string(step), [&](const auto& open) -> Result<LatestStep> {
    auto stored = state_->steps.Read(step);
    if (!stored) return stored.error();
    if (auto opened = open(*stored); !opened) return opened.error();
    return LatestStep{.stored = *std::move(stored)};
  });
}

Result<LatestStep> ShardedCheckpoints::Latest() {
  if (!state_) return internal::MovedFrom("ShardedCheckpoints");
  state_->damaged.clear();
  return state_->ReadOnRank0("the newest step", [&](const auto& open) { return state_->steps.OpenLatest(open); });
}

Result<LatestStep> ShardedCheckpoints::LatestExcept(const StoredStep& damaged, const Error& why) {
  if (!state_) return internal::MovedFrom("ShardedCheckpoints");
  state_->damaged.push_back({damaged.manifest.step, damaged.generation, why});
  const std::string which = "the newest step except step " + std::to_string(damaged.manifest.step);
  return state_->ReadOnRank0(which, [&](const auto& open) {
    return internal::FindLatest(internal::StoreOf(state_->steps), open, state_->damaged);
  });
}

const std::string& ShardedCheckpoints::values() const { return state_->values; }

Result<void> ShardedCheckpoints::Remove(std::int64_t step) {
  if (!state_) return internal::MovedFrom("ShardedCheckpoints");
  const auto message = state_->OnRank0("the removal of step " + std::to_string(step), [&] {
    const auto removed = state_->saved.writer ? state_->saved.writer->Remove(step) : state_->steps.Remove(step);
    return removed ? std::string() : internal::FormatFailure(removed.error());
  });
  if (!message) return message.error();
  if (message->empty()) return {};
  return internal::ParseStep(*message).error();
}

Result<void> ShardedCheckpoints::Load(const CheckpointManifest& step, std::span<const PartToLoad> parts,
                                      const std::stop_token& stop) {
  if (!state_) return internal::MovedFrom("ShardedCheckpoints");
  auto loaded = internal::LoadOnAllRanks(state_->steps, state_->group, state_->options, step, parts, stop);
  if (loaded) return loaded;
  return state_->Named("load", step.step, loaded.error());
}

Error ShardedCheckpoints::FailLoad(std::int64_t step, const Error& why, const std::stop_token& stop) {
  if (!state_) return internal::MovedFrom("ShardedCheckpoints");
  return state_->Named("load", step,
                       internal::RefuseLoad(state_->steps, state_->group, state_->options, step, why, stop));
}

}  // namespace gcsflux
