#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/checkpoints/sharded_checkpoints.h"
#include "sharding/save_messages.h"

namespace gcsflux::internal {

/// One save, as each rank does its part of it: all announce what they have, rank 0 plans, each writes its file, and
/// rank 0 commits the manifest.
class ShardedSave {
 public:
  /// Borrows all. `writer` is rank 0's, which is started if there is none.
  ShardedSave(const CheckpointSteps& steps, Collective& group, const ShardedOptions& options,
              std::optional<StepWriter>& writer)
      : steps_(steps), group_(group), options_(options), writer_(writer) {}

  Result<SavedStep> Run(const CheckpointManifest& about, std::span<const PartToSave> parts, CommitMode mode,
                        const std::stop_token& stop);

  /// Announces in its place why this rank saves nothing; then no rank does.
  Error Refuse(std::int64_t step, const Error& why, const std::stop_token& stop);

 private:
  Result<std::vector<std::string>> Announce(std::int64_t step, std::span<const PartToSave> parts, CommitMode mode,
                                            const CollectiveLimits& limits);
  Result<ShardOrder> Order(std::int64_t step, std::span<const std::string> announcements, const std::stop_token& stop,
                           const CollectiveLimits& limits);
  Result<std::vector<std::string>> PlanOrders(std::int64_t step, std::span<const std::string> announcements);
  Result<ShardReport> Write(const ShardOrder& order, std::span<const PartToSave> parts, const std::stop_token& stop,
                            const std::stop_token& broken);
  Result<SavedStep> Commit(const CheckpointManifest& about, std::span<const std::string> reports, CommitMode mode,
                           std::atomic<std::uint64_t>& moved);
  void Keep(Result<SavedStep>& saved, const std::stop_token& stop);
  void DeleteFiles(const std::vector<StepFile>& files, const std::stop_token& broken);
  void DropNames();

  const CheckpointSteps& steps_;
  Collective& group_;
  const ShardedOptions& options_;
  std::optional<StepWriter>& writer_;
  std::vector<std::string> names_;  // Rank 0's: of the files of all ranks.
};

}  // namespace gcsflux::internal
