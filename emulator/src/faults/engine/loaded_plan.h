#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "faults/engine/fault_history.h"
#include "faults/engine/rule_match.h"
#include "faults/tools/firing.h"
#include "gcsflux/emulator/clock.h"
#include "gcsflux/emulator/faults.h"
#include "middleware/interceptor.h"

namespace gcsflux::emulator {

/// How often a rule matched and fired, and how often it may.
struct RuleCount {
  explicit RuleCount(std::optional<std::uint64_t> most = {}) : limit(most.value_or(UINT64_MAX)) {}

  /// Adds one; returns false if that would be more than it may.
  bool Claim();

  const std::uint64_t limit;
  std::atomic<std::uint64_t> matched = 0;
  std::atomic<std::uint64_t> fired = 0;
};

/// A rule of a loaded plan.
struct LoadedRule {
  LoadedRule(FaultRule loaded, Clock::Time now);

  /// Whether the rule is in force at that time.
  [[nodiscard]] bool IsOpen(Clock::Time time) const;

  const FaultRule rule;
  const RuleMatch match;
  const std::shared_ptr<const NamedAction> action;
  const Clock::Time loaded_at;
  const std::shared_ptr<RuleCount> count;
};

/// A fault that is repeated for a request.
struct ReplayedFault {
  FaultKey key = {};
  std::shared_ptr<const NamedAction> action = {};
  std::shared_ptr<RuleCount> count = {};
};

/// A loaded plan. It is constant, except for the counts and the history. A request that met it keeps it.
struct LoadedPlan {
  /// `plan` has been checked.
  LoadedPlan(const FaultPlan& plan, Clock::Time now);
  /// The same with one more rule.
  LoadedPlan(const LoadedPlan& before, FaultRule added, Clock::Time now);

  [[nodiscard]] FaultPlan Plan() const;
  [[nodiscard]] std::vector<FaultCount> Counts() const;

  const std::uint64_t seed;
  std::vector<std::shared_ptr<LoadedRule>> rules = {};
  std::vector<FiredFault> schedule = {};  ///< The faults to repeat.
  /// By HashKey(). The faults of one request, in the order of the schedule.
  std::unordered_map<std::uint64_t, std::vector<ReplayedFault>> replayed = {};
  std::map<std::string, std::shared_ptr<RuleCount>> replayed_rules = {};
  std::shared_ptr<FaultHistory> history = std::make_shared<FaultHistory>();
};

}  // namespace gcsflux::emulator
