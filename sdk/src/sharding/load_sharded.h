#pragma once

#include <span>
#include <stop_token>
#include <string>

#include "gcsflux/checkpoints/sharded_checkpoints.h"
#include "sharding/host_memory.h"

namespace gcsflux::internal {

/// As ShardedCheckpoints::Load(). Ranks with the same `host` share what they read, if the options say so.
Result<void> LoadOnAllRanks(const CheckpointSteps& steps, Collective& group, const ShardedOptions& options,
                            const CheckpointManifest& step, std::span<const PartToLoad> parts,
                            const std::stop_token& stop, const std::string& host = ThisHost());

}  // namespace gcsflux::internal
