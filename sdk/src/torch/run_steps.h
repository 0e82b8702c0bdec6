#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkpoints/latest_step.h"
#include "checkpoints/save_step.h"
#include "gcsflux/torch/checkpoint_run.h"

namespace gcsflux::internal {

/// The steps of a run, of one process or of a group: what CheckpointRun does with them. Throws StorageError.
class RunSteps {
 public:
  virtual ~RunSteps() = default;
  virtual SavedStep Save(std::int64_t step, const RunState& state, const SaveOptions& options) = 0;
  virtual PendingSave SaveAsync(std::int64_t step, const RunState& state, const SaveOptions& options) = 0;
  virtual Step Load(std::int64_t step, RunState& state, LoadMode mode) = 0;
  virtual std::optional<Step> LoadLatest(RunState& state, LoadMode mode) = 0;
  virtual std::optional<Step> Latest() = 0;
  virtual std::vector<Step> List() = 0;
  virtual void Remove(std::int64_t step) = 0;
};

std::unique_ptr<RunSteps> StepsOfProcess(const Client& client, const std::string& uri, CheckpointRunOptions options);
std::unique_ptr<RunSteps> StepsOfGroup(const Client& client, const std::string& uri, Collective& group,
                                       const CheckpointRunOptions& options);

/// The form of the steps: that of the options, or the one that they imply. Throws for those that contradict each other.
CheckpointFormat FormatOf(const CheckpointRunOptions& options, bool is_group);

/// A step without its files and tensors.
CheckpointManifest AboutStep(std::int64_t step, const SaveOptions& options);

/// Nothing if no step was ever saved.
std::optional<LatestStored> IfAny(Result<LatestStored> latest);
std::optional<Step> Shown(std::optional<LatestStored> latest);

}  // namespace gcsflux::internal
