#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "gcsflux/result.h"

// How objects are downloaded. A download's sources are fetched in groups: consecutive sources that are fetched
// together.
//
// 1. A group is PLANNED (FetchMethod::plan) when a thread has nothing else to do, so that a plan can go by what earlier
//    groups have taught. Groups follow each other in the order of the sources.
// 2. It is ADMITTED by the recipient: a batch admits all of its groups, a stream asks its client's budget first.
// 3. It is FETCHED: the recipient gives a destination for each source, FetchMethod::begin makes what fetches into them,
//    and its ranges are handed to the threads, each range to one. A range that fails ends the group: ranges that have
//    not begun are left out.
// 4. It is FINISHED by the thread that fetched its last range: what came is compared with what should have come, which
//    may have all ranges fetched once more, and the recipient is told what became of each source.
//
// download_run.h has these steps, loop/request_slots.h where they run, batch_recipient.h and stream_recipient.h the two
// recipients. None of them knows how a group is fetched: direct_fetch.h does.
namespace gcsflux::internal {

/// Sources [first, first + count), in `ranges` that may be fetched at the same time. A count of 0 means that there are
/// no more.
struct GroupPlan {
  std::size_t first = 0;
  std::size_t count = 1;
  std::size_t ranges = 1;
};

/// The destination of one source's bytes.
struct Destination {
  std::span<std::byte> bytes = {};           ///< Exactly the listed size; none before Open().
  std::shared_ptr<std::byte[]> memory = {};  ///< Owns the bytes; null if the caller does.
  /// Not null: Open() takes the memory. Only for a group of one range.
  std::function<Result<Destination>()> take = {};
  bool has_no_memory = false;  ///< Open() has failed, which no service is to blame for.

  /// Called when bytes come. Thousands of requests wait for their first byte: as long as they wait, they hold no
  /// memory. And memory that is taken now was given back a moment ago, so it is still in the processor's caches.
  Result<std::span<std::byte>> Open() {
    if (take) {
      auto taken = take();
      has_no_memory = !taken;
      if (!taken) return taken.error();
      *this = *std::move(taken);
    }
    return bytes;
  }
};

/// The outcome of a group.
struct GroupOutcome {
  /// No request failed, but the bytes are wrong: all ranges are fetched once more.
  bool is_to_be_repeated = false;
  /// One for each source; empty if none failed.
  std::vector<std::optional<Error>> errors = {};
};

/// Fetches one group. Destroyed when the group is finished.
class GroupFetch {
 public:
  virtual ~GroupFetch() = default;
  /// Called once for each range, by several threads at the same time. An error applies to all of the group's sources;
  /// Finish() reports failures of single sources. Does not throw.
  virtual Result<void> FetchRange(std::size_t range, const std::stop_token& stop) = 0;
  /// Called after all ranges were fetched successfully.
  virtual GroupOutcome Finish(const std::stop_token& stop) = 0;
};

/// How a download's groups are planned and fetched.
struct FetchMethod {
  /// The group that begins with this source; nothing if that source is not known yet. Called by one thread at a time,
  /// in the order of the sources, under a lock: it does no I/O.
  std::function<std::optional<GroupPlan>(std::size_t first)> plan;
  /// Makes the object that fetches the group into the destinations, one for each source, which outlive it. Called
  /// without a lock.
  std::function<std::unique_ptr<GroupFetch>(const GroupPlan& group, std::span<Destination> destinations)> begin;
};

}  // namespace gcsflux::internal
