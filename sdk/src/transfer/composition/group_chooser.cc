#include "transfer/composition/group_chooser.h"

#include <algorithm>
#include <chrono>

namespace gcsflux::internal {
namespace {

// What a compose that nobody has measured takes, in first bytes of reads. Composing begins at once where it pays even
// if it is as slow as the first; where it pays only if it is as fast as the second, it is tried out.
constexpr double kSlowCompose = 8;
constexpr double kFastCompose = 0.5;
// Composing has to be so much faster than reading directly: it costs requests, and estimates are no more exact.
constexpr double kWorthwhile = 0.85;
// What a compose takes is looked at again after so long.
constexpr std::chrono::seconds kStale{30};

FetchCosts With(const FetchEstimates::Estimate& estimate, double compose) {
  FetchCosts costs = estimate.costs;
  costs.compose = std::max(compose, estimate.composing_for);
  return costs;
}

}  // namespace

GroupChooser::Choice GroupChooser::Choose(const RemainingWork& work, std::size_t most,
                                          const FetchEstimates::Estimate& estimate, FetchEstimates::TimePoint now) {
  const double first_byte = estimate.costs.first_byte;
  const FetchCosts costs = With(estimate, estimate.knows_compose ? estimate.costs.compose : kSlowCompose * first_byte);
  const std::size_t group = BestGroup(costs, work, most);
  if (mode_ == CompositionMode::kOn) return {.group = Begin(group, work.connections)};
  const double worthwhile = kWorthwhile * DirectSeconds(costs, work);
  if (ComposedSeconds(costs, work, group) < worthwhile) return {.group = Begin(group, work.connections)};
  const bool is_stale = !estimate.knows_compose || now - estimate.composed_last > kStale;
  if (!is_stale) return {};
  const FetchCosts hoped = With(estimate, std::min(costs.compose, kFastCompose * first_byte));
  return {.wants_probe = ComposedSeconds(hoped, work, BestGroup(hoped, work, most)) < worthwhile};
}

std::size_t GroupChooser::Begin(std::size_t group, std::size_t connections) {
  group_ = group;
  turns_ = connections - 1;
  return group;
}

}  // namespace gcsflux::internal
