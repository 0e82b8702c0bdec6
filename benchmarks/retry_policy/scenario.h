#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gcsflux/result.h"

namespace gcsflux::bench {

/// The quota from a time on.
struct QuotaPhase {
  double from = 0;  ///< As a share of the run, 0 to 1.
  std::optional<double> requests_per_second = {};
  friend bool operator==(const QuotaPhase&, const QuotaPhase&) = default;
};

/// The clients, and the quota of the service over time.
struct Scenario {
  std::string name = {};
  int processes = 1;
  int threads = 1;  ///< Of each process.
  std::vector<QuotaPhase> phases = {};
  /// The quota is one of bytes sent, for this many objects a second.
  bool is_egress_cap = false;

  /// At a share of the run, 0 to 1.
  [[nodiscard]] std::optional<double> QuotaAt(double share) const;
  /// How many requests the quota allows in a run of `seconds`; nothing if there is none.
  [[nodiscard]] std::optional<double> Allowed(double seconds) const;
};

/// Those that the flags scale.
struct Load {
  int processes = 4;
  int threads = 64;
  double quota = 1000;
};

/// The scenarios of these names, in this order; kInvalidArgument, which lists the known ones, for another name.
Result<std::vector<Scenario>> FindScenarios(const std::vector<std::string>& names, const Load& load);

}  // namespace gcsflux::bench
