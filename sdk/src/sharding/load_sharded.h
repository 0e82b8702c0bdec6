#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>

#include "sharding/ranks/host_memory.h"
#include "sharding/sharded_checkpoints.h"

namespace gcsflux::internal {

/// As ShardedCheckpoints::Load(). Ranks with the same `host` share what they read, if the options say so.
Result<void> LoadOnAllRanks(StepStore& steps, MessageGroup& group, const ShardedOptions& options,
                            const CheckpointManifest& step, std::span<const PartToLoad> parts,
                            const std::stop_token& stop, const std::string& host = ThisHost());

/// Takes part in the load of the others, and makes it fail on all ranks.
Error RefuseLoad(StepStore& steps, MessageGroup& group, const ShardedOptions& options, std::int64_t step,
                 const Error& why, const std::stop_token& stop);

}  // namespace gcsflux::internal
