#pragma once

#include <functional>
#include <span>

#include "checkpoints/step_store.h"

namespace gcsflux::internal {

/// Returns kInvalidArgument if a whole step has a higher number.
Result<void> CheckNoneIsNewer(StepStore& store, std::int64_t step);

/// A step that was found damaged when its files were read.
struct DamagedStep {
  std::int64_t step = 0;
  std::int64_t generation = 0;  ///< Of its manifest.
  Error why = {};
};

/// As CheckpointSteps::OpenLatest(), skipping `damaged`. `open` may be empty.
Result<LatestStep> FindLatest(StepStore& store, const std::function<Result<void>(const StoredStep&)>& open,
                              std::span<const DamagedStep> damaged = {});

}  // namespace gcsflux::internal
