#include "sharding/sharded_checkpoints.h"

#include <utility>

#include "base/stop_after.h"
#include "sharding/announced_read.h"
#include "sharding/load_sharded.h"
#include "sharding/ranks/work_of_ranks.h"
#include "sharding/save_messages.h"
#include "sharding/sharded_save.h"
#include "sharding/step_values.h"

namespace gcsflux {
namespace {

std::shared_ptr<internal::StepStore> Apart(const std::shared_ptr<internal::StepStore>& steps) {
  auto apart = internal::OpenStepStore(steps->client(), steps->uri(), steps->call(), steps->stop());
  return apart ? *std::move(apart) : steps;
}

}  // namespace

// Rank 0 acts for all. `act` returns its message to the others.
template <class Act>
Result<std::string> ShardedCheckpoints::OnRank0(const std::string& call, const Act& act) {
  const CollectiveLimits limits{.deadline = options_.deadline};
  const internal::AnnouncedRead own{.call = call + " of " + steps_->uri()};
  if (auto agreed = internal::AgreeOnRead(group_, limits, own); !agreed) return agreed.error();
  std::string message;
  const internal::WorkOfRank0 work = [&](std::atomic<std::uint64_t>&) { message = act(); };
  if (auto done = internal::WorkOnRank0(group_, limits.deadline, *steps_, work, {}); !done) return done.error();
  return group_.Broadcast(std::move(message), limits);
}

// Rank 0 reads the manifest of `which` step. `read` gives the step to the function that reads its values.
template <class ReadStep>
Result<internal::LatestStored> ShardedCheckpoints::ReadOnRank0(const std::string& which, const ReadStep& read) {
  const auto message = OnRank0("the read of " + which, [&] {
    internal::SharedStep shared;
    const auto read_values = [&](const StoredStep& step) -> Result<void> {
      if (!options_.reads_values) return {};
      auto of_step = internal::ReadStepValues(*steps_, step.manifest, options_.reader);
      if (!of_step) return of_step.error();
      shared.values = *std::move(of_step);
      return {};
    };
    Result<internal::LatestStored> step = read(read_values);
    if (!step) return internal::FormatFailure(step.error());
    shared.step = *std::move(step);
    return internal::FormatStep(shared);
  });
  if (!message) return message.error();
  auto shared = internal::ParseStep(*message);
  if (!shared) return shared.error();
  values_ = std::move(shared->values);
  return std::move(shared->step);
}

Error ShardedCheckpoints::Named(const char* call, std::int64_t step, Error error) const {
  error.message =
      std::string(call) + " of step " + std::to_string(step) + " of " + steps_->uri() + ": " + error.message;
  return error;
}

ShardedCheckpoints::ShardedCheckpoints(const std::shared_ptr<internal::StepStore>& steps, Collective& group,
                                       ShardedOptions options)
    : steps_(Apart(steps)), group_(internal::MessagesOf(group)), options_(std::move(options)) {}

ShardedCheckpoints::~ShardedCheckpoints() {
  if (!saved_.writer) return;
  // If this fails, the next run is refused unless it takes the prefix over, as after a crash.
  const internal::StopAfter limit(options_.deadline);
  steps_->StopBy(limit.token());
  static_cast<void>(saved_.writer->Release().ok());
}

Result<SavedStep> ShardedCheckpoints::Save(const CheckpointManifest& about, std::span<const PartToSave> parts,
                                           CommitMode mode, const std::stop_token& stop, std::string_view values) {
  auto saved = internal::ShardedSave(steps_, group_, options_, saved_).Run(about, parts, values, mode, stop);
  if (saved) return saved;
  return Named("save", about.step, saved.error());
}

Error ShardedCheckpoints::FailSave(std::int64_t step, const Error& why, const std::stop_token& stop) {
  return Named("save", step, internal::ShardedSave(steps_, group_, options_, saved_).Refuse(step, why, stop));
}

Result<internal::LatestStored> ShardedCheckpoints::Read(std::int64_t step) {
  return ReadOnRank0("step " + std::to_string(step), [&](const auto& open) -> Result<internal::LatestStored> {
    auto stored = steps_->ReadManifest(step);
    if (!stored) return stored.error();
    if (auto opened = open(*stored); !opened) return opened.error();
    return internal::LatestStored{.stored = *std::move(stored)};
  });
}

Result<internal::LatestStored> ShardedCheckpoints::Latest() {
  damaged_.clear();
  return ReadOnRank0("the newest step", [&](const auto& open) { return internal::FindLatest(*steps_, open); });
}

Result<internal::LatestStored> ShardedCheckpoints::LatestExcept(const StoredStep& damaged, const Error& why) {
  damaged_.push_back({damaged.manifest.step, damaged.generation, why});
  return ReadOnRank0("the newest step except step " + std::to_string(damaged.manifest.step),
                     [&](const auto& open) { return internal::FindLatest(*steps_, open, damaged_); });
}

Result<void> ShardedCheckpoints::Remove(std::int64_t step) {
  const auto message = OnRank0("the removal of step " + std::to_string(step), [&] {
    const auto removed = saved_.writer ? saved_.writer->Remove(step) : internal::RemoveStep(*steps_, step, {});
    return removed ? std::string() : internal::FormatFailure(removed.error());
  });
  if (!message) return message.error();
  if (message->empty()) return {};
  return internal::ParseStep(*message).error();
}

Result<void> ShardedCheckpoints::Load(const CheckpointManifest& step, std::span<const PartToLoad> parts,
                                      const std::stop_token& stop) {
  auto loaded = internal::LoadOnAllRanks(*steps_, group_, options_, step, parts, stop);
  if (loaded) return loaded;
  return Named("load", step.step, loaded.error());
}

Error ShardedCheckpoints::FailLoad(std::int64_t step, const Error& why, const std::stop_token& stop) {
  return Named("load", step, internal::RefuseLoad(*steps_, group_, options_, step, why, stop));
}

}  // namespace gcsflux
