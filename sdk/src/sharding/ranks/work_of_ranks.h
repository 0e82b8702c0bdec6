#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>

#include "checkpoints/step_store.h"
#include "sharding/ranks/message_group.h"

namespace gcsflux::internal {

/// One rank's share of work that all ranks do at the same time. It counts the bytes that it moves in `moved`, and ends
/// early if `stop` is stopped.
using WorkOfRank = std::function<Result<void>(std::atomic<std::uint64_t>& moved, const std::stop_token& stop)>;

/// Does the work of each rank, and returns the same on all of them. Ranks report their progress to each other
/// repeatedly. If one fails or is cancelled, the others stop at once. If no byte moves on any rank for `deadline`, the
/// work fails, and the message names the ranks that are not ready. A rank breaks the group if it ends, or if it is
/// cancelled while it waits for a rank that hangs.
/// `moved_too` returns the bytes that the work does not count itself. It is called while the work runs.
Result<void> WorkOnAllRanks(MessageGroup& group, std::chrono::milliseconds deadline, const WorkOfRank& work,
                            const std::stop_token& stop, const std::function<std::uint64_t()>& moved_too = {});

/// How long a cancelled rank waits until the others agree that it is cancelled. After that it breaks the group.
std::chrono::milliseconds PatienceAfterStop(std::chrono::milliseconds deadline);

/// Work that rank 0 does with requests of `steps` while the others wait. If the work must end, these requests are
/// cancelled. The caller sends the outcome to the others. Each answer to a request of `steps`, and each chunk of a
/// manifest, counts as movement.
using WorkOfRank0 = std::function<void(std::atomic<std::uint64_t>& moved)>;
Result<void> WorkOnRank0(MessageGroup& group, std::chrono::milliseconds deadline, StepStore& steps,
                         const WorkOfRank0& work, const std::stop_token& stop);

}  // namespace gcsflux::internal
