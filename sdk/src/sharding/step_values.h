#pragma once

#include <string>

#include "checkpoints/step_store.h"

namespace gcsflux::internal {

/// Reads the values of a step as JSON (formats/state_json.h). Empty if it has none. If the step is gone or damaged, the
/// error says so: WhyUnusable().
Result<std::string> ReadStepValues(StepStore& steps, const CheckpointManifest& step, ObjectReaderOptions reader);

}  // namespace gcsflux::internal
