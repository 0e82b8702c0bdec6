#pragma once

#include <span>
#include <stop_token>

#include "gcsflux/sharded_checkpoints.h"

namespace gcsflux::internal {

/// As ShardedCheckpoints::Load().
Result<void> LoadOnAllRanks(const CheckpointSteps& steps, Collective& group, const ShardedOptions& options,
                            const CheckpointManifest& step, std::span<const PartToLoad> parts,
                            const std::stop_token& stop);

}  // namespace gcsflux::internal
