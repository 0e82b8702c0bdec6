#include "retry_policy/scenario.h"

#include <algorithm>

namespace gcsflux::bench {
namespace {

std::vector<Scenario> AllScenarios(const Load& load) {
  const auto [processes, threads, quota] = load;
  return {
      {.name = "steady", .processes = processes, .threads = threads, .phases = {{0, quota}}},
      {.name = "dip",
       .processes = processes,
       .threads = threads,
       .phases = {{0, quota}, {1.0 / 3, 0.2 * quota}, {2.0 / 3, quota}}},
      {.name = "step",
       .processes = processes,
       .threads = threads,
       .phases = {{0, quota}, {1.0 / 3, 2 * quota}, {2.0 / 3, 0.5 * quota}}},
      {.name = "egress", .processes = processes, .threads = threads, .phases = {{0, quota}}, .is_egress_cap = true},
      {.name = "small", .threads = threads, .phases = {{0, 0.2 * quota}}},
      {.name = "open", .threads = processes * threads, .phases = {{0, {}}}},
  };
}

}  // namespace

std::optional<double> Scenario::QuotaAt(double share) const {
  std::optional<double> quota;
  for (const QuotaPhase& phase : phases) {
    if (phase.from <= share) quota = phase.requests_per_second;
  }
  return quota;
}

std::optional<double> Scenario::Allowed(double seconds) const {
  double allowed = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (!phases[i].requests_per_second) return std::nullopt;
    const double until = i + 1 < phases.size() ? phases[i + 1].from : 1;
    allowed += *phases[i].requests_per_second * (until - phases[i].from) * seconds;
  }
  return allowed;
}

Result<std::vector<Scenario>> FindScenarios(const std::vector<std::string>& names, const Load& load) {
  const std::vector<Scenario> all = AllScenarios(load);
  std::string known;
  for (const Scenario& scenario : all) known += (known.empty() ? "" : ", ") + scenario.name;
  std::vector<Scenario> found;
  for (const std::string& name : names) {
    const auto match = std::find_if(all.begin(), all.end(), [&](const Scenario& s) { return s.name == name; });
    if (match == all.end()) {
      return Error{ErrorCode::kInvalidArgument, "there is no scenario '" + name + "': there are " + known};
    }
    found.push_back(*match);
  }
  return found;
}

}  // namespace gcsflux::bench
