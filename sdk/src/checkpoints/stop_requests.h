#pragma once

#include <stop_token>
#include <utility>

#include "checkpoints/step_store.h"

namespace gcsflux::internal {

/// While it lives, this token ends the requests of a store, and the store's own token does not.
class StopRequests {
 public:
  StopRequests(StepStore& store, std::stop_token stop) : store_(store), before_(store.stop()) {
    store_.StopBy(std::move(stop));
  }
  ~StopRequests() { store_.StopBy(before_); }
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;

 private:
  StepStore& store_;
  const std::stop_token before_;
};

}  // namespace gcsflux::internal
