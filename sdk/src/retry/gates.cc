#include "retry/gates.h"

#include <tuple>

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
    GateStatus& status = all.emplace_back(gate->state());
    std::tie(status.bucket, status.gate_class) = key;
  }
  return all;
}

}  // namespace gcsflux::internal
