#pragma once

#include <chrono>
#include <string>

#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/collective.h"

namespace gcsflux {

/// What is needed to read a step.
struct StepValuesSource {
  const CheckpointSteps& steps;
  const CheckpointManifest& manifest;
  const ObjectReaderOptions& reader;
};

/// Rank 0 reads the values of a step, and sends them to all ranks as JSON (formats/state_json.h), empty if it has none.
/// Returns the same error on all ranks.
Result<std::string> ReadValuesOnRank0(Collective& group, std::chrono::milliseconds deadline,
                                      const StepValuesSource& source);

}  // namespace gcsflux
