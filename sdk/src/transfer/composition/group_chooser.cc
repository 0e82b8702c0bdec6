#include "transfer/composition/group_chooser.h"

#include <algorithm>
#include <chrono>

namespace gcsflux::internal {
namespace {

// The assumed duration of a compose that is not measured yet: a read's first-byte time and these seconds, or that many
// first-byte times if that is less. If composing is faster even so, it begins at once. If it is faster only with the
// hoped duration, in first-byte times, it is probed.
constexpr double kSlowComposeSeconds = 0.35;
constexpr double kSlowCompose = 8;
constexpr double kFastCompose = 0.5;
// Composing must be this much faster than direct reads, because it costs requests, and estimates are inexact.
constexpr double kWorthwhile = 0.85;
// After this time the duration of a compose is measured again.
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
  const double slow_compose = std::min(first_byte + kSlowComposeSeconds, kSlowCompose * first_byte);
  const FetchCosts costs = With(estimate, estimate.knows_compose ? estimate.costs.compose : slow_compose);
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
