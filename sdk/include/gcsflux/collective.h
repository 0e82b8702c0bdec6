#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "gcsflux/epoch.h"
#include "gcsflux/result.h"

// Processes that work together: docs/distributed.md. torch/collective.h connects them over libtorch's c10d.
namespace gcsflux {

namespace internal {
class MessageGroup;
}  // namespace internal

/// A group of processes, the ranks, which save and load together. All ranks make the same calls in the same order.
///
/// If a rank
/// - ends: kUnavailable,
/// - is cancelled: kCancelled,
/// - does not come within the deadline: kUnavailable,
/// - makes another call: kInvalidArgument, or
/// - has no memory for a message: kLocalIo,
/// the call, or the next one, fails on every rank with one message, which names that rank. Rank 0 waits for all ranks
/// at the same time: it sees at once that one has ended, also while another one is late. After a failure each further
/// call returns the same error: make another group. For one thread at a time.
class Collective {
 public:
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;
  /// For the other ranks, this rank has ended.
  virtual ~Collective() = default;

  [[nodiscard]] virtual int rank() const = 0;        ///< Of this process: from 0, below world_size().
  [[nodiscard]] virtual int world_size() const = 0;  ///< Number of processes.
  /// For messages: "rank 2", and the host if it is known.
  [[nodiscard]] virtual std::string Label(int rank) const;

 private:
  friend class internal::MessageGroup;  // Only this class derives from it.
  Collective() = default;
};

/// A group of one process.
std::unique_ptr<Collective> MakeOneProcess();

/// Ranks that are threads of this process, for tests of programs that use a Collective: one object for each thread.
/// Returns none if `world_size` is below 1.
std::vector<std::unique_ptr<Collective>> MakeThreadRanks(int world_size);

/// Returns when all ranks have called it: what a rank did before is done for all. The errors are those of a group.
Result<void> Barrier(Collective& ranks, std::chrono::milliseconds deadline = std::chrono::seconds(60));

/// Compares the listings of all ranks. All ranks call it, before they read: with MapDataset::fingerprint(), or with
/// IterableDataset::cursor().listing before the first Epoch(). If two of them differ, returns kInvalidArgument on every
/// rank, with the first rank that differs from rank 0. Otherwise the ranks would use some samples twice and others not
/// at all. Of a listing that still runs only the prefix is compared. Other errors are those of a group.
Result<void> CheckSameListing(Collective& ranks, const ListingFingerprint& listing,
                              std::chrono::milliseconds deadline = std::chrono::seconds(60));

}  // namespace gcsflux
