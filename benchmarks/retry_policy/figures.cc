#include "retry_policy/figures.h"

#include <algorithm>
#include <cmath>

namespace gcsflux::bench {
namespace {

using Outcome = CallRecord::Outcome;

bool IsDelivered(const CallRecord& call, double seconds) {
  return call.outcome == Outcome::kDelivered && call.ended <= seconds;
}

double JainIndex(const std::vector<double>& shares) {
  double sum = 0;
  double squares = 0;
  for (const double share : shares) {
    sum += share;
    squares += share * share;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(shares.size()) * squares) : 0;
}

double Quantile(std::vector<double> values, double quantile) {
  if (values.empty()) return 0;
  const auto index = static_cast<std::size_t>(std::ceil(quantile * static_cast<double>(values.size()))) - 1;
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(std::min(index, values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

// `ends` is sorted.
double CountBetween(const std::vector<double>& ends, double from, double to) {
  return static_cast<double>(std::lower_bound(ends.begin(), ends.end(), to) -
                             std::lower_bound(ends.begin(), ends.end(), from));
}

std::optional<double> RecoverySeconds(const Scenario& scenario, double seconds, const std::vector<double>& ends) {
  constexpr double kGood = 0.95;
  constexpr double kStep = 0.1;
  const QuotaPhase& last = scenario.phases.back();
  if (scenario.phases.size() < 2 || !last.requests_per_second) return std::nullopt;
  const double changed = last.from * seconds;
  for (double at = changed; at + 1 <= seconds; at += kStep) {
    const bool is_back = CountBetween(ends, at, at + 1) >= kGood * *last.requests_per_second;
    if (is_back && CountBetween(ends, at, seconds) >= kGood * *last.requests_per_second * (seconds - at)) {
      return at - changed;
    }
  }
  return std::nullopt;
}

std::vector<SecondFigures> BySecond(const std::vector<const CallRecord*>& delivered, double seconds) {
  std::vector<SecondFigures> all(static_cast<std::size_t>(std::ceil(seconds)));
  for (const CallRecord* call : delivered) {
    SecondFigures& second = all[std::min(static_cast<std::size_t>(std::max(0.0, call->ended)), all.size() - 1)];
    ++second.delivered;
    second.worst = std::max(second.worst, call->ended - call->issued);
  }
  return all;
}

}  // namespace

Figures Evaluate(const Scenario& scenario, double seconds, const std::vector<std::vector<CallRecord>>& calls,
                 std::uint64_t throttled) {
  Figures figures;
  std::vector<double> by_process;
  std::vector<double> durations;
  std::vector<double> ends;
  std::vector<const CallRecord*> delivered;
  for (const auto& process : calls) {
    const std::size_t before = delivered.size();
    for (const CallRecord& call : process) {
      durations.push_back(call.ended - call.issued);
      figures.failed += call.outcome == Outcome::kFailed ? 1 : 0;
      if (!IsDelivered(call, seconds)) continue;
      delivered.push_back(&call);
      ends.push_back(call.ended);
    }
    by_process.push_back(static_cast<double>(delivered.size() - before));
  }
  std::sort(ends.begin(), ends.end());
  figures.delivered = static_cast<double>(delivered.size());
  if (const auto allowed = scenario.Allowed(seconds)) figures.share_of_quota = figures.delivered / *allowed;
  figures.throttled_per_success = static_cast<double>(throttled) / std::max(1.0, figures.delivered);
  figures.worst_seconds = durations.empty() ? 0 : *std::max_element(durations.begin(), durations.end());
  figures.p99_seconds = Quantile(std::move(durations), 0.99);
  figures.jain_index = JainIndex(by_process);
  figures.recovery_seconds = RecoverySeconds(scenario, seconds, ends);
  figures.by_second = BySecond(delivered, seconds);
  return figures;
}

}  // namespace gcsflux::bench
