#pragma once

#include <functional>

#include "checkpoints/state_file.h"
#include "gcsflux/torch/checkpoint_run.h"

// A run's state as a value of torch.save, and back.
namespace gcsflux {

/// Throws StorageError with kInvalidArgument if a name is empty, has a '.' or occurs twice, and for what
/// StateDictWriter refuses.
GatheredState GatherState(const RunState& state);

/// Shares the memory of `gathered`, which must outlive the result.
internal::StateContents ContentsOf(const GatheredState& gathered);

/// Reads and compares everything before anything of `state` changes. If the state names all that the step holds,
/// calls `verify` before the change; it may throw.
void LoadState(const StoredCheckpoint& checkpoint, RunState& state, const std::function<void()>& verify);

}  // namespace gcsflux
