#pragma once

#include <memory>

#include "gcsflux/checkpoint_steps.h"

namespace gcsflux::internal {

/// A step that CheckpointRun saved.
struct OpenedStep {
  std::shared_ptr<const ObjectReader> own_file = {};  ///< The one that has its values.
  StoredCheckpoint checkpoint;
};

/// As CheckpointSteps::OpenStep().
Result<OpenedStep> OpenStepFiles(const CheckpointSteps& steps, const CheckpointManifest& manifest,
                                 const ObjectReaderOptions& options);

}  // namespace gcsflux::internal
