#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/collective.h"
#include "torch/plain_values.h"

namespace gcsflux {

/// What is needed to read a step that one process saved.
struct StepValuesSource {
  const CheckpointSteps& steps;
  const CheckpointManifest& manifest;
  const ObjectReaderOptions& reader;
};

/// Whether the step's own file has its values, as CheckpointRun saves them. Otherwise they are among its tensors.
bool HasValuesInFile(const CheckpointManifest& step);

/// Rank 0 reads the values of such a step, and sends them to all ranks as a message. Returns the same error on all
/// ranks.
Result<std::string> ReadValuesOnRank0(Collective& group, std::chrono::milliseconds deadline,
                                      const StepValuesSource& source);

/// The values of that message. Throws StorageError.
PlainValues ParseValues(std::string_view message);

}  // namespace gcsflux
