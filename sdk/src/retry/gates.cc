#include "retry/gates.h"

namespace gcsflux::internal {

GateKeeper& Gates::For(const std::string& bucket, GateClass of) {
  const MutexLock lock(mutex_);
  auto& gate = gates_[{bucket, of}];
  if (gate == nullptr) gate = std::make_unique<GateKeeper>(timing_);
  return *gate;
}

std::vector<GateStatus> Gates::status() const {
  const MutexLock lock(mutex_);
  std::vector<GateStatus> all;
  for (const auto& [key, gate] : gates_) {
    const GateKeeper::State state = gate->state();
    all.push_back({.bucket = key.first,
                   .gate_class = key.second,
                   .is_engaged = state.is_engaged,
                   .rate = state.rate,
                   .waiting = state.waiting,
                   .throttled = state.throttled});
  }
  return all;
}

}  // namespace gcsflux::internal
