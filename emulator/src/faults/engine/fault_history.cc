#include "faults/engine/fault_history.h"

#include <utility>

#include "faults/engine/fault_key.h"

namespace gcsflux::emulator {

std::uint64_t FaultHistory::Arrive(const FaultKey& key) {
  const std::uint64_t hash = HashKey(key);
  const std::scoped_lock lock(mutex_);
  if (arrivals_.size() < kMaxKeys) return ++arrivals_[hash];
  const auto known = arrivals_.find(hash);
  return known == arrivals_.end() ? 1 : ++known->second;
}

void FaultHistory::Add(FaultKey key, std::shared_ptr<const NamedAction> action) {
  const std::scoped_lock lock(mutex_);
  if (schedule_.size() < Faults::kMaxSchedule) schedule_.push_back({std::move(key), std::move(action)});
}

std::vector<FiredFault> FaultHistory::Schedule() const {
  const std::scoped_lock lock(mutex_);
  std::vector<FiredFault> schedule;
  schedule.reserve(schedule_.size());
  for (const Entry& entry : schedule_) schedule.push_back({entry.key, entry.action->rule, entry.action->action});
  return schedule;
}

}  // namespace gcsflux::emulator
