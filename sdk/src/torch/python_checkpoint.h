#pragma once

#include "gcsflux/torch/checkpoint.h"
#include "gcsflux/torch/state_dict.h"

// Checkpoints in the form that Python has: {"model": ..., "optimizer": ..., "numbers": {...}, "texts": {...}}.
namespace gcsflux {

/// Gives the file's bytes to the sink. kInvalidArgument for optimizers that Python's form is not known of.
void WritePythonCheckpoint(const TrainingState& state, const ByteSink& sink);

/// Reads and compares everything before anything of `state` changes. `verify` is called in between, and may throw.
void LoadPythonCheckpoint(const StoredCheckpoint& checkpoint, TrainingState& state,
                          const std::function<void()>& verify);

}  // namespace gcsflux
