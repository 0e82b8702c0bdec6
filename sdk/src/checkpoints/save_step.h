#pragma once

#include <optional>
#include <stop_token>

#include "checkpoints/committed_tensors.h"
#include "checkpoints/state_file.h"
#include "checkpoints/step_writer.h"
#include "gcsflux/checkpoints/saves.h"

namespace gcsflux::internal {

/// The end of the name of a step's file; the rest makes it unique. Null for formats that no step has.
const char* StateFileName(CheckpointFormat format);

/// The step's own file, which holds its values: of a group, rank 0's. Null if CheckpointRun did not save the step.
const StepFile* FindStateFile(const CheckpointManifest& manifest);

/// A step without its files.
struct StepToSave {
  CheckpointManifest manifest = {};
  CommitMode mode = CommitMode::kCreate;
  CheckpointFormat format = CheckpointFormat::kTorchFile;
  std::optional<KeepRules> keep = {};
  UploadOptions file = {};
  /// With kSafetensors: tensors that are equal to those of the last step are not written again. If null, all are
  /// written.
  LastCommitted* last = nullptr;
};

/// Writes the file, commits the step, and removes what the rules do not keep. If `stop` can be requested, it ends all
/// of that, and only one such call for a run is made at a time.
Result<SavedStep> SaveStep(StepWriter& writer, const StateContents& contents, StepToSave step,
                           const std::stop_token& stop);

}  // namespace gcsflux::internal
