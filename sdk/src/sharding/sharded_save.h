#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoints/committed_tensors.h"
#include "checkpoints/step_writer.h"
#include "sharding/save_messages.h"
#include "sharding/sharded_checkpoints.h"

namespace gcsflux::internal {

/// One rank's part of a save. All ranks announce what they have, rank 0 plans, each rank writes its file, and rank 0
/// commits the manifest.
class ShardedSave {
 public:
  /// Borrows all arguments.
  ShardedSave(const std::shared_ptr<StepStore>& steps, MessageGroup& group, const ShardedOptions& options,
              SavedSteps& saved)
      : store_(steps), group_(group), options_(options), saved_(saved), writer_(saved.writer) {}

  /// `values` are rank 0's, as in WriteShard().
  Result<SavedStep> Run(const CheckpointManifest& about, std::span<const PartToSave> parts, std::string_view values,
                        CommitMode mode, const std::stop_token& stop);

  /// Call it instead of Run() if this rank cannot save: announces the reason. Then no rank saves.
  Error Refuse(std::int64_t step, const Error& why, const std::stop_token& stop);

 private:
  Result<std::vector<std::string>> Announce(std::int64_t step, std::span<const PartToSave> parts, CommitMode mode,
                                            const CollectiveLimits& limits);
  Result<SaveOrder> Order(const CheckpointManifest& about, CommitMode mode, std::span<const std::string> announcements,
                          const std::stop_token& stop, const CollectiveLimits& limits);
  Result<std::vector<std::string>> PlanOrders(const CheckpointManifest& about, CommitMode mode,
                                              std::span<const std::string> announcements);
  Result<ShardReport> Write(const SaveOrder& order, std::span<const PartToSave> parts, std::string_view values,
                            const std::stop_token& stop, const std::stop_token& broken);
  Result<SavedStep> Commit(const CheckpointManifest& about, std::span<const std::string> reports, CommitMode mode,
                           std::atomic<std::uint64_t>& moved);
  void Keep(Result<SavedStep>& saved, const std::stop_token& stop);
  void DeleteFiles(const std::vector<StepFile>& files, const std::stop_token& broken);
  void DropNames();

  [[nodiscard]] std::vector<StepFile> FilesToName() const;
  std::vector<const StoredPlace*> FindStored(const SaveOrder& order, const std::vector<PartToSave>& chosen);
  void Learn(const ShardReport& report);

  const std::shared_ptr<StepStore> store_;
  StepStore& steps_ = *store_;
  MessageGroup& group_;
  const ShardedOptions& options_;
  SavedSteps& saved_;
  std::optional<StepWriter>& writer_;
  std::vector<PlainTensor> slices_;  // What this rank has in the step, if unchanged slices are left out.
  std::vector<std::string> names_;   // On rank 0: the names of all ranks' files.
};

}  // namespace gcsflux::internal
