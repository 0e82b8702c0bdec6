#pragma once

#include <memory>

#include "gcsflux/checkpoints/checkpoint_steps.h"

namespace gcsflux::internal {

/// A step that CheckpointRun saved.
struct OpenedStep {
  std::shared_ptr<const ObjectReader> own_file = {};  ///< The one that has its values.
  StoredCheckpoint checkpoint;
};

/// As CheckpointSteps::OpenStep().
Result<OpenedStep> OpenStepFiles(const CheckpointSteps& steps, const CheckpointManifest& manifest,
                                 const ObjectReaderOptions& options);

/// Whether several processes saved the step: ShardedCheckpoints.
bool IsOfRanks(const CheckpointManifest& manifest);

/// Such a step as one checkpoint. The manifest says what its files have; no header is read.
Result<StoredCheckpoint> OpenStepOfRanks(const CheckpointSteps& steps, const CheckpointManifest& manifest,
                                         const ObjectReaderOptions& options);

}  // namespace gcsflux::internal
