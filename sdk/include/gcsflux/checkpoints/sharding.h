#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

// What many processes save and load together: docs/distributed.md.
namespace gcsflux {

/// One rank's share of what `world_size` ranks divide.
struct RankShare {
  int rank = 0;
  int world_size = 1;
  std::int64_t dimension = 0;  ///< The dimension of a tensor that is divided.
};

/// The rows [first, second) of a rank. If they do not divide evenly, the first ranks get one more. If there are fewer
/// rows than ranks, the last ranks get none. A rank that does not exist gets none.
std::pair<std::int64_t, std::int64_t> DivideRows(std::int64_t rows, const RankShare& share);

/// For all ranks of a group.
struct GroupOptions {
  /// If no rank sends or receives a byte, an answer or a message for this long, the call fails on all ranks. Bytes and
  /// answers are those of the service. Messages are those with which ranks go to the next phase of the call. A message,
  /// and a manifest that is written, count only when they are complete. If a rank hangs, the others learn it up to a
  /// quarter later, or 2 s later if that is longer. Raise it if:
  /// - the service may pause for longer,
  /// - ranks begin a call at very different times, or
  /// - rank 0's network takes longer to send the manifest to all ranks.
  std::chrono::milliseconds deadline = std::chrono::seconds(60);
  /// If several ranks of a machine need a byte, one of them reads it, and the others copy it. Must be the same on all
  /// ranks. Set it if several ranks of a machine load the same tensors, or slices along another dimension than those
  /// that were saved. Shared bytes are twice in memory until the load ends. The processes must run as the same user,
  /// and see each other in /proc.
  bool reads_once_per_host = false;
};

}  // namespace gcsflux
