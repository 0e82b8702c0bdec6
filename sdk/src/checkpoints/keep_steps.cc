#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "checkpoints/step_store.h"

namespace gcsflux::internal {
namespace {

using Steps = std::vector<const Step*>;  // The newest first.

void KeepLast(const Steps& steps, std::size_t count, std::set<std::int64_t>& kept) {
  for (std::size_t i = 0; i < std::min(count, steps.size()); ++i) kept.insert(steps[i]->number);
}

void KeepTheBest(const Steps& steps, const KeepRules& rules, std::set<std::int64_t>& kept) {
  bool is_known = false;
  std::vector<std::pair<double, std::int64_t>> ranked;
  for (const Step* const step : steps) {
    const auto metric = step->metrics.find(rules.metric);
    is_known = is_known || metric != step->metrics.end();
    if (metric == step->metrics.end() || std::isnan(metric->second)) continue;
    ranked.emplace_back(rules.is_highest_best ? -metric->second : metric->second, step->number);
  }
  if (!is_known) KeepLast(steps, steps.size(), kept);  // Its name may be misspelt.
  const auto by_value = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(ranked.begin(), ranked.end(), by_value);
  for (std::size_t i = 0; i < std::min(*rules.best, ranked.size()); ++i) kept.insert(ranked[i].second);
}

template <class Period>
void KeepNewestOfEach(const Steps& steps, std::set<std::int64_t>& kept) {
  std::set<typename Period::rep> seen;
  for (const Step* const step : steps) {
    const auto period = std::chrono::floor<Period>(step->time.time_since_epoch()).count();
    if (seen.insert(period).second) kept.insert(step->number);
  }
}

bool HasRule(const KeepRules& rules) { return rules.last || rules.best || rules.every || rules.hourly || rules.daily; }

}  // namespace

std::vector<std::int64_t> StepsToKeep(std::span<const Step> steps, const KeepRules& rules) {
  Steps newest_first;
  for (const Step& step : steps) newest_first.push_back(&step);
  std::sort(newest_first.begin(), newest_first.end(),
            [](const Step* a, const Step* b) { return a->number > b->number; });
  std::set<std::int64_t> kept;
  KeepLast(newest_first, HasRule(rules) ? 1 : newest_first.size(), kept);
  if (rules.last) KeepLast(newest_first, *rules.last, kept);
  if (rules.best) KeepTheBest(newest_first, rules, kept);
  if (rules.every && *rules.every > 0) {
    for (const Step& step : steps) {
      if (step.number % *rules.every == 0) kept.insert(step.number);
    }
  }
  if (rules.hourly) KeepNewestOfEach<std::chrono::hours>(newest_first, kept);
  if (rules.daily) KeepNewestOfEach<std::chrono::days>(newest_first, kept);
  return {kept.begin(), kept.end()};
}

}  // namespace gcsflux::internal
