#include "faults/engine/loaded_plan.h"

#include <utility>

#include "faults/engine/fault_key.h"

namespace gcsflux::emulator {
namespace {

using RuleCounts = std::map<std::string, std::shared_ptr<RuleCount>>;

std::shared_ptr<RuleCount>& CountOf(const std::string& rule, RuleCounts& counts) {
  std::shared_ptr<RuleCount>& count = counts[rule];
  if (count == nullptr) count = std::make_shared<RuleCount>();
  return count;
}

}  // namespace

bool RuleCount::Claim() {
  for (std::uint64_t before = fired; before < limit;) {
    if (fired.compare_exchange_weak(before, before + 1)) return true;
  }
  return false;
}

LoadedRule::LoadedRule(FaultRule loaded, Clock::Time now)
    : rule(std::move(loaded)),
      match(rule.match),
      action(std::make_shared<const NamedAction>(NamedAction{rule.name, rule.action})),
      loaded_at(now),
      count(std::make_shared<RuleCount>(rule.limits.count)) {}

bool LoadedRule::IsOpen(Clock::Time time) const {
  const auto age = time - loaded_at;
  const FaultLimits& limits = rule.limits;
  return (!limits.not_before || age >= *limits.not_before) && (!limits.not_after || age < *limits.not_after);
}

LoadedPlan::LoadedPlan(const FaultPlan& plan, Clock::Time now) : seed(plan.seed), schedule(plan.replay) {
  for (const FaultRule& rule : plan.rules) rules.push_back(std::make_shared<LoadedRule>(rule, now));
  for (const FiredFault& fired : schedule) {
    replayed[HashKey(fired.key)].push_back({fired.key,
                                            std::make_shared<const NamedAction>(NamedAction{fired.rule, fired.action}),
                                            CountOf(fired.rule, replayed_rules)});
  }
}

LoadedPlan::LoadedPlan(const LoadedPlan& before, FaultRule added, Clock::Time now)
    : seed(before.seed), rules(before.rules), history(before.history) {
  rules.push_back(std::make_shared<LoadedRule>(std::move(added), now));
}

FaultPlan LoadedPlan::Plan() const {
  FaultPlan plan{.seed = seed, .replay = schedule};
  for (const auto& rule : rules) plan.rules.push_back(rule->rule);
  return plan;
}

std::vector<FaultCount> LoadedPlan::Counts() const {
  std::vector<FaultCount> counts;
  for (const auto& rule : rules) counts.push_back({rule->rule.name, rule->count->matched, rule->count->fired});
  for (const auto& [name, count] : replayed_rules) counts.push_back({name, count->matched, count->fired});
  return counts;
}

}  // namespace gcsflux::emulator
