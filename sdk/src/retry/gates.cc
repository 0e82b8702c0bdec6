#include "retry/gates.h"

namespace gcsflux::internal {

GateKeeper& Gates::For(const std::string& bucket, GateClass of) {
  const std::lock_guard lock(mutex_);
  auto& gate = gates_[{bucket, of}];
  if (gate == nullptr) gate = std::make_unique<GateKeeper>(timing_);
  return *gate;
}

}  // namespace gcsflux::internal
