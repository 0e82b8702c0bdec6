#pragma once

#include <optional>
#include <string>

#include "distributed/rank_tensors.h"
#include "gcsflux/collective.h"

namespace gcsflux::bench {

/// The task of a rank, and its group.
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

/// How long saves during training block, as "blocked_ms", and the same state's memcpy directly before each, as
/// "memcpy_ms". A lazy one is followed by WaitStaged(), as "wait_ms".
void TakeSnapshots(const RankTask& task);

/// How long a step of a training takes during a save and without one, as "with_ms" and "without_ms". The call that
/// starts the save is reported separately, as "blocked_ms".
void Train(const RankTask& task);

}  // namespace gcsflux::bench
