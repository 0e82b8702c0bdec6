#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/result.h"

// Processes that work together: docs/distributed.md. torch/collective.h has the one over libtorch's c10d.
namespace gcsflux {

/// How long a call of a Collective waits.
struct CollectiveLimits {
  /// How long rank 0 waits for the others, all of them together. They wait a quarter longer, and at least 2 s longer,
  /// so that they hear from rank 0 which rank is missing. Raise it if ranks begin a call at very different times.
  std::chrono::milliseconds deadline = std::chrono::seconds(60);
  std::stop_token stop = {};
  /// From when the deadline counts, for calls that are part of a longer work. Absent or later: from when the call
  /// begins. At least 2 s of it are left to each call, or all of a shorter deadline.
  std::optional<std::chrono::steady_clock::time_point> since = {};
};

/// A group of processes, the ranks. All ranks make the same calls in the same order; each call moves bytes through
/// rank 0.
///
/// If a rank ends, is cancelled, does not come within the deadline or makes another call, then the call or the next one
/// fails on every rank with the same message, which names that rank: kUnavailable, kCancelled or kInvalidArgument.
/// After a failure each further call returns the same error: make another group. For one thread at a time.
class Collective {
 public:
  Collective() = default;
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;
  /// The other ranks notice it as the end of this rank.
  virtual ~Collective() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int world_size() const = 0;
  /// For messages: "rank 2", and the host if it is known.
  [[nodiscard]] virtual std::string Label(int rank) const;

  /// Returns when all ranks have called it.
  Result<void> Barrier(const CollectiveLimits& limits = {});
  /// Rank 0 gets the bytes of all ranks, in order of rank; the others get nothing.
  Result<std::vector<std::string>> Gather(std::string bytes, const CollectiveLimits& limits = {});
  /// All ranks get the bytes of rank 0. The argument of the other ranks is not used.
  Result<std::string> Broadcast(std::string bytes, const CollectiveLimits& limits = {});
  /// Rank r gets the r-th of rank 0's texts. The argument of the other ranks is not used.
  Result<std::string> Scatter(std::vector<std::string> of_ranks, const CollectiveLimits& limits = {});
  /// All ranks get the bytes of all ranks, in order of rank.
  Result<std::vector<std::string>> AllGather(std::string bytes, const CollectiveLimits& limits = {});

 protected:
  /// How long a call waits for all of its messages. A message that is there already is taken also after `until`.
  struct Patience {
    std::chrono::steady_clock::time_point until;
    std::chrono::milliseconds deadline;  ///< The caller's, for messages: the same on all ranks.
    std::stop_token stop;
  };

  /// Sends one message, and does not wait until the rank takes it, unless it has not taken some earlier ones. Messages
  /// between two ranks arrive in their order. kUnavailable if the rank has ended or takes none in time; kCancelled.
  virtual Result<void> Send(int to, std::string_view message, const Patience& patience) = 0;
  /// Waits for the next message of a rank; errors as of Send().
  virtual Result<std::string> Receive(int from, const Patience& patience) = 0;

 private:
  enum class Call : std::uint8_t;
  static Patience Briefly();
  Result<Patience> Begin(Call call, const CollectiveLimits& limits);
  Result<void> Put(int to, std::string_view payload, const Patience& patience);
  Result<std::string> Take(int from, const Patience& patience);
  Result<std::vector<std::string>> TakeFromAll(std::string own, const Patience& patience);
  Error Fail(int peer, const Error& why);
  Error Told(int by, std::string_view message);
  void TellOthers(int culprit, const Error& why, int but);

  Call call_ = {};
  std::uint64_t calls_ = 0;
  std::optional<Error> failure_ = {};
};

/// A group of one process.
std::unique_ptr<Collective> MakeOneProcess();

/// Ranks that are threads of this process, for tests of programs that use a Collective: one object for each thread.
/// None if `world_size` is below 1.
std::vector<std::unique_ptr<Collective>> MakeThreadRanks(int world_size);

}  // namespace gcsflux
