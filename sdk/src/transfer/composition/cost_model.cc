#include "transfer/composition/cost_model.h"

#include <algorithm>
#include <cmath>

namespace gcsflux::internal {
namespace {

constexpr double kWritesPerComposite = 2;  // A compose and a delete.

// How many times each connection has to do it. In the last turn, connections without work wait for the others.
double Turns(double groups, std::size_t connections) {
  return std::ceil(groups / static_cast<double>(connections) - 1e-9);
}

}  // namespace

double DirectSeconds(const FetchCosts& costs, const RemainingWork& work) {
  const double one = costs.first_byte + work.mean_bytes * costs.seconds_per_byte;
  return Turns(work.objects, work.connections) * one;
}

double ComposedSeconds(const FetchCosts& costs, const RemainingWork& work, std::size_t group) {
  const auto objects = std::min(static_cast<double>(group), work.objects);
  const double one =
      costs.compose + costs.first_byte + objects * work.mean_bytes * costs.seconds_per_byte + costs.remove;
  const double composites = work.objects / static_cast<double>(group);
  const double seconds = Turns(composites, work.connections) * one - costs.remove;
  if (costs.writes_per_second <= 0) return seconds;
  return std::max(seconds, kWritesPerComposite * composites / costs.writes_per_second);
}

std::size_t BestGroup(const FetchCosts& costs, const RemainingWork& work, std::size_t most) {
  std::size_t best = most;
  double soonest = ComposedSeconds(costs, work, most);
  // From the largest down: of groups with equal durations, the one with the fewest requests is chosen.
  for (std::size_t group = most - 1; group >= 2; --group) {
    const double seconds = ComposedSeconds(costs, work, group);
    if (seconds >= soonest) continue;
    soonest = seconds;
    best = group;
  }
  return best;
}

}  // namespace gcsflux::internal
