#pragma once

#include <memory>

#include "gcsflux/checkpoints/checkpoint_steps.h"

namespace gcsflux::internal {

/// A step that CheckpointRun saved.
struct OpenedStep {
  std::shared_ptr<const ObjectReader> own_file = {};  ///< The file that has its values.
  StoredCheckpoint checkpoint;
};

/// As CheckpointSteps::OpenStep().
Result<OpenedStep> OpenStepFiles(const CheckpointSteps& steps, const CheckpointManifest& manifest,
                                 const ObjectReaderOptions& options);

/// True if ShardedCheckpoints saved the step.
bool IsOfRanks(const CheckpointManifest& manifest);

/// Opens such a step as one checkpoint. Reads no header, because the manifest says what the files have.
Result<StoredCheckpoint> OpenStepOfRanks(const CheckpointSteps& steps, const CheckpointManifest& manifest,
                                         const ObjectReaderOptions& options);

}  // namespace gcsflux::internal
