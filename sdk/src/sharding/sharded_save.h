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

/// One rank's part of a save. All ranks announce what they have, rank 0 plans, each rank writes its file, and rank 0
/// commits the manifest.
class ShardedSave {
 public:
  /// Borrows all arguments. `writer` is rank 0's. It is started if there is none.
  ShardedSave(const CheckpointSteps& steps, Collective& group, const ShardedOptions& options,
              std::optional<StepWriter>& writer)
      : steps_(steps), group_(group), options_(options), writer_(writer) {}

  Result<SavedStep> Run(const CheckpointManifest& about, std::span<const PartToSave> parts, CommitMode mode,
                        const std::stop_token& stop);

  /// Call it instead of Run() if this rank cannot save: announces the reason. Then no rank saves.
  Error Refuse(std::int64_t step, const Error& why, const std::stop_token& stop);

 private:
  Result<std::vector<std::string>> Announce(std::int64_t step, std::span<const PartToSave> parts, CommitMode mode,
                                            const CollectiveLimits& limits);
  Result<ShardOrder> Order(const CheckpointManifest& about, CommitMode mode, std::span<const std::string> announcements,
                           const std::stop_token& stop, const CollectiveLimits& limits);
  Result<std::vector<std::string>> PlanOrders(const CheckpointManifest& about, CommitMode mode,
                                              std::span<const std::string> announcements);
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
  std::vector<std::string> names_;  // On rank 0: the names of all ranks' files.
};

}  // namespace gcsflux::internal
