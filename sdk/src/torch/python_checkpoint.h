#pragma once

#include "gcsflux/torch/checkpoint.h"
#include "gcsflux/torch/state_dict.h"

// Checkpoints in Python's form: {"model": ..., "optimizer": ..., "numbers": {...}, "texts": {...}}.
namespace gcsflux {

/// Writes the file's bytes to the sink. Throws StorageError with kInvalidArgument for optimizers whose form in Python
/// is unknown.
void WritePythonCheckpoint(const TrainingState& state, const ByteSink& sink);

/// Reads and compares everything before anything in `state` changes. `verify` is called before the change, and may
/// throw.
void LoadPythonCheckpoint(const StoredCheckpoint& checkpoint, TrainingState& state,
                          const std::function<void()>& verify);

}  // namespace gcsflux
