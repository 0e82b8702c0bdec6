#pragma once

#include <memory>

#include "checkpoints/step_store.h"
#include "gcsflux/checkpoints/stored_checkpoint.h"

namespace gcsflux::internal {

/// A step's files.
struct OpenedStep {
  std::shared_ptr<const ObjectReader> own_file = {};  ///< The file that has its values; null if none has.
  StoredCheckpoint checkpoint;
};

/// As CheckpointSteps::OpenStep().
Result<OpenedStep> OpenStepFiles(const StepStore& steps, const CheckpointManifest& manifest,
                                 const ObjectReaderOptions& options);

/// The step's tensors, whole and by name, and its values (formats/state_json.h; empty if it has none), without bytes:
/// what a rank compares its state with. Makes no request.
Result<StoredCheckpoint> DescribeStep(const CheckpointManifest& manifest, const std::string& values);

}  // namespace gcsflux::internal
