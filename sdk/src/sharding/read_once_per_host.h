#pragma once

#include <stop_token>
#include <string>

#include "sharding/load_plan.h"
#include "sharding/ranks/work_of_ranks.h"
#include "sharding/step_file_reads.h"

namespace gcsflux::internal {

/// Fills the ranges of all ranks' plans. Ranks with the same `host` must be able to open each other's HostMemory. If
/// several of them want a byte, one of them reads it. Returns the same on all ranks.
Result<void> ReadOncePerHost(StepFileReads& files, MessageGroup& group, const CollectiveLimits& limits,
                             const LoadPlan& plan, const std::string& host, const std::stop_token& stop);

}  // namespace gcsflux::internal
