#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "campaign/worker.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"

namespace gcsflux::campaign {

/// The URI of a worker's run.
std::string RunOf(const Worker& worker);
CheckpointSteps StepsOfRun(const Client& client, const std::string& uri);

/// The whole steps of a run, read until it succeeds. Throws Violation if one is damaged.
std::map<std::int64_t, SavedText> ReadRun(const Client& client, const std::string& uri);

/// The steps that stay under the rules, by the model's own reading of docs/checkpoints.md.
std::map<std::int64_t, SavedText> KeptSteps(const std::map<std::int64_t, SavedText>& steps, const KeepRules& rules);

/// At rest: the run has the model's steps, and the garbage collection leaves no file that no manifest names.
void CheckRun(const Client& client, const Worker& worker, const std::map<std::int64_t, SavedText>& steps);

}  // namespace gcsflux::campaign
