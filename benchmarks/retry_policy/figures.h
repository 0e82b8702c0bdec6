#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "retry_policy/scenario.h"

namespace gcsflux::bench {

/// One call of a client, however many requests it took. Seconds since the run began.
struct CallRecord {
  double issued = 0;
  double ended = 0;
  enum class Outcome : char {
    kDelivered = 'd',
    kUnfinished = 'u',  ///< The run was over first: it would have taken longer.
    kFailed = 'f',
  };
  Outcome outcome = Outcome::kDelivered;
};

/// What happened within one second of a run.
struct SecondFigures {
  double delivered = 0;  ///< Calls.
  double worst = 0;      ///< Seconds that the slowest of them took; 0 where there were none.
};

/// What a policy did in a scenario.
struct Figures {
  double delivered = 0;                       ///< Calls.
  std::uint64_t failed = 0;                   ///< Calls that ended with an error.
  std::optional<double> share_of_quota = {};  ///< Delivered, of what the quota allowed.
  double throttled_per_success = 0;           ///< Answers 429 as the service counts them.
  double worst_seconds = 0;                   ///< Of a call, unfinished ones included.
  double p99_seconds = 0;
  double jain_index = 0;  ///< Of the processes' deliveries: 1 where all have the same, 1/n where one has all.
  /// From the quota's last change until the following second, and all the rest of the run, deliver 95 % of it. Nothing
  /// where it does not change, or where that never comes.
  std::optional<double> recovery_seconds = {};
  std::vector<SecondFigures> by_second = {};
};

/// `calls` are those of each process, `throttled` the answers 429 to all of them.
Figures Evaluate(const Scenario& scenario, double seconds, const std::vector<std::vector<CallRecord>>& calls,
                 std::uint64_t throttled);

}  // namespace gcsflux::bench
