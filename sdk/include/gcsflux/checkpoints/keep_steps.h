#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

// A pure function of the list of steps says which of them stay.
namespace gcsflux {

/// What the rules know of a step.
struct RankedStep {
  std::int64_t step = 0;
  std::chrono::system_clock::time_point time = {};
  std::map<std::string, double> metrics = {};
};

enum class BestIs { kLowest, kHighest };

/// Keeps the best `count` steps by a metric. If two steps are equal, the newer one is better. Steps without the metric
/// have no rank. If no step has it, all steps stay, because its name may be wrong.
struct KeepBest {
  std::string metric = {};
  std::size_t count = 1;
  BestIs best_is = BestIs::kLowest;
};

/// A step stays if one rule keeps it. Without any rule all stay.
struct KeepRules {
  std::optional<std::size_t> last = {};  ///< Keeps this many of the newest steps.
  std::optional<KeepBest> best = {};
  std::optional<std::int64_t> every = {};  ///< Keeps steps that are multiples of it; at least 1.
  bool hourly = false;                     ///< Keeps the newest step of each hour, UTC.
  bool daily = false;                      ///< Keeps the newest step of each day, UTC.
};

/// The steps that stay, in ascending order. The newest step always stays. The number of a step says which one is
/// newest. Its time only says in which hour and day it is.
std::vector<std::int64_t> StepsToKeep(std::span<const RankedStep> steps, const KeepRules& rules);

}  // namespace gcsflux
