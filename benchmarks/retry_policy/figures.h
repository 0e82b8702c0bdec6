#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "retry_policy/scenario.h"

namespace gcsflux::bench {

/// One call of a client with all its requests. Seconds since the start of the run.
struct CallRecord {
  double issued = 0;
  double ended = 0;
  enum class Outcome : char {
    kDelivered = 'd',
    kUnfinished = 'u',  ///< The run ended first: the call would have taken longer.
    kFailed = 'f',
  };
  Outcome outcome = Outcome::kDelivered;
};

/// The figures of one second of a run.
struct SecondFigures {
  double delivered = 0;  ///< Calls.
  double worst = 0;      ///< Seconds of the slowest call; 0 if there were none.
};

/// The figures of a policy in a scenario.
struct Figures {
  double delivered = 0;                       ///< Calls.
  std::uint64_t failed = 0;                   ///< Calls that ended with an error.
  std::optional<double> share_of_quota = {};  ///< Delivered, as a share of the quota.
  double throttled_per_success = 0;           ///< Answers 429, as counted by the service.
  double worst_seconds = 0;                   ///< Of a call, including unfinished ones.
  double p99_seconds = 0;
  double jain_index = 0;  ///< Of the processes' deliveries: 1 if all have the same, 1/n if one has all.
  /// From the quota's last change until the first second from which the whole rest of the run delivers 95 % of it.
  /// Nothing if it does not change, or if that never happens.
  std::optional<double> recovery_seconds = {};
  std::vector<SecondFigures> by_second = {};
};

/// `calls` are those of each process, `throttled` the answers 429 to all of them.
Figures Evaluate(const Scenario& scenario, double seconds, const std::vector<std::vector<CallRecord>>& calls,
                 std::uint64_t throttled);

}  // namespace gcsflux::bench
