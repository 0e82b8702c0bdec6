#pragma once

#include <optional>
#include <string>

#include "distributed/rank_tensors.h"
#include "gcsflux/collective.h"

namespace gcsflux::bench {

/// What a rank is to do, and with whom.
struct RankTask {
  const RunEnvironment& environment;
  Collective& group;
  const Client& client;
  std::string run = {};
  TensorsOfRanks tensors = {};
  int connections = 8;
  bool is_lazy = false;
  bool reads_once_per_host = false;
};

CheckpointRun OpenRun(const RankTask& task, const std::optional<KeepRules>& keep = {});

/// How long saves beside the training block, as "blocked_ms", and the same state's memcpy right before each, as
/// "memcpy_ms". A lazy one has WaitStaged() after it as "wait_ms".
void TakeSnapshots(const RankTask& task);

/// How long a step of a training takes during a save and without one, as "with_ms" and "without_ms". The call that
/// begins the save is counted apart, as "blocked_ms".
void Train(const RankTask& task);

}  // namespace gcsflux::bench
