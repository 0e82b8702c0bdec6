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

/// The best `count` steps by a metric. Of equal steps the newer one is better. Steps without the metric have no rank.
/// If no step has it, its name may be wrong, and all steps stay.
struct KeepBest {
  std::string metric = {};
  std::size_t count = 1;
  BestIs best_is = BestIs::kLowest;
};

/// A step stays if one rule keeps it. Without any rule all stay.
struct KeepRules {
  std::optional<std::size_t> last = {};  ///< So many of the newest steps.
  std::optional<KeepBest> best = {};
  std::optional<std::int64_t> every = {};  ///< Steps that are multiples of it; at least 1.
  bool hourly = false;                     ///< The newest step of each hour, UTC.
  bool daily = false;                      ///< The newest step of each day, UTC.
};

/// The steps that stay, in ascending order. The newest always does, whatever the rules say. "Newest" goes by the step's
/// number: clocks decide only in which hour or day a step is.
std::vector<std::int64_t> StepsToKeep(std::span<const RankedStep> steps, const KeepRules& rules);

}  // namespace gcsflux
