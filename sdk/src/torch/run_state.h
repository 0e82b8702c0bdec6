#pragma once

#include <functional>

#include "checkpoints/state_file.h"
#include "gcsflux/torch/checkpoint_run.h"

// A run's state as a value of torch.save, and back.
namespace gcsflux {

/// Throws kInvalidArgument: a name that is empty, has a '.', or is there twice; what StateDictWriter refuses.
GatheredState GatherState(const RunState& state);

/// Shares the memory of `gathered`, which must outlive the result.
internal::StateContents ContentsOf(const GatheredState& gathered);

/// Reads and compares everything before anything of `state` changes. If the state names all that the step holds,
/// `verify` is called between both; it may throw.
void LoadState(const StoredCheckpoint& checkpoint, RunState& state, const std::function<void()>& verify);

}  // namespace gcsflux
