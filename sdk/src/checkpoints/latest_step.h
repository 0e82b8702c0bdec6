#pragma once

#include <functional>

#include "checkpoints/step_store.h"

namespace gcsflux::internal {

/// As CheckpointSteps::OpenLatest(). `open` may be empty.
Result<LatestStep> FindLatest(StepStore& store, const std::function<Result<void>(const StoredStep&)>& open);

}  // namespace gcsflux::internal
