#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>

#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/collective.h"

namespace gcsflux::internal {

/// One rank's share of a work that all ranks do at the same time. It counts the bytes that it moves, and ends early if
/// `stop` requests it.
using WorkOfRank = std::function<Result<void>(std::atomic<std::uint64_t>& moved, const std::stop_token& stop)>;

/// Does the work of each rank, and returns the same on all of them. Ranks tell each other again and again how far they
/// are: if one fails or is cancelled, the others stop at once. If no byte moves on any rank for `deadline`, the work
/// fails, and the message names the ranks that are not ready. A rank that ends breaks the group; so does one that is
/// cancelled while it waits for a rank that hangs.
/// `moved_too` counts bytes beside those that the work counts itself; it is called while the work runs.
Result<void> WorkOnAllRanks(Collective& group, std::chrono::milliseconds deadline, const WorkOfRank& work,
                            const std::stop_token& stop, const std::function<std::uint64_t()>& moved_too = {});

/// How long a cancelled rank waits for the others to agree that it is. Then it breaks the group.
std::chrono::milliseconds PatienceAfterStop(std::chrono::milliseconds deadline);

/// Work that rank 0 does while the others wait, with requests of `steps`. They end as soon as the work is to end. Its
/// outcome is for the caller to tell. Each answer to a request of `steps` counts as a movement, and each piece of a
/// manifest.
using WorkOfRank0 = std::function<void(std::atomic<std::uint64_t>& moved)>;
Result<void> WorkOnRank0(Collective& group, std::chrono::milliseconds deadline, const CheckpointSteps& steps,
                         const WorkOfRank0& work, const std::stop_token& stop);

}  // namespace gcsflux::internal
